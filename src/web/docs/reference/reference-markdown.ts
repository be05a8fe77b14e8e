import { slug } from '../markdown/read-markdown.ts';
import { type Field, type Group, type Model, type Operation, PATIENTS_ONLY } from './read-reference.ts';

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

const lineOf = ({ name, type, required, description, limits, values }: Field): string => {
  const attributes = [type, ...(required ? ['required'] : []), ...(limits ? [limits] : [])].join(', ');
  const notes = [description, values.length > 0 ? `One of ${values.map((value) => `\`${value}\``).join(', ')}.` : null];
  return `- \`${name}\` (${attributes})${notes.filter(Boolean).length > 0 ? `: ${notes.filter(Boolean).join(' ')}` : ''}`;
};
const listOf = (fields: Field[], indent = ''): string =>
  fields
    .map((field) =>
      [`${indent}${lineOf(field)}`, ...(field.fields.length > 0 ? [listOf(field.fields, `${indent}  `)] : [])].join(
        '\n',
      ),
    )
    .join('\n');

/** The heading in the Markdown version, whose anchor is derived from its text. */
const headingOf = (name: string) => `The ${name} object`;

function operationText(operation: Operation): string {
  const { method, path, aliases, summary, scope, patients, inputs, samples, status, model, errors, responseExample } =
    operation;
  const callers = [scope && `applications with \`${scope}\``, patients && (scope ? 'patients' : PATIENTS_ONLY)]
    .filter(Boolean)
    .join(' and ');
  return [
    `## ${summary}`,
    `\`${method} ${path}\`${aliases.length > 0 ? `, also at ${aliases.map((alias) => `\`${alias}\``).join(', ')}` : ''}`,
    `Open to ${callers}.`,
    ...inputs.map(({ title, fields }) => `### ${title}\n\n${listOf(fields)}`),
    fence('sh', samples.curl),
    fence('ts', samples.typescript),
    fence('python', samples.python),
    `### Answer\n\n\`${status}\` with ${model.isList ? 'an array of' : 'one'} [${model.name}](${model.href.split('#')[0]}.md#${slug(headingOf(model.name))}).`,
    fence('json', responseExample),
    `Errors: ${errors.flatMap(({ codes }) => codes.map((code) => `\`${code}\``)).join(', ')}.`,
  ].join('\n\n');
}

const modelText = ({ name, fields, example }: Model): string =>
  [
    `## ${headingOf(name)}`,
    listOf(fields.map((field) => ({ ...field, required: false }))),
    fence('json', example),
  ].join('\n\n');

/** Renders a resource page as Markdown. */
export const referenceMarkdown = ({ operations, models }: Group): string =>
  `${[...operations.map(operationText), ...models.map(modelText)].join('\n\n')}\n`;
