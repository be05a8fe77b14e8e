import { Fragment, type ReactNode } from 'react';
import { ERRORS } from '#contract/errors.ts';
import { Link } from '#web/ui/link.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { AnchoredHeading } from '../anchored-heading.tsx';
import { CodeSamples } from '../samples/language.tsx';
import { MethodBadge } from './method-badge.tsx';
import { type Field, type Model, type Operation, PATIENTS_ONLY } from './read-reference.ts';

export function OperationSection({ operation }: { operation: Operation }) {
  const { anchor, method, path, aliases, summary, inputs, samples, responseExample, status } = operation;
  const call = `${method} ${path}`;
  return (
    <DocSection
      anchor={anchor}
      aside={
        <>
          <CodeSamples of={call} samples={samples} />
          <details>
            <summary className="mb-2 w-fit rounded-sm text-[13px] text-accent-ink">
              Answer {status}
              <span className="sr-only"> to {call}, as an example</span>
            </summary>
            <CodeBlock isFullHeight title={`Answer ${status}`} of={call} code={responseExample} />
          </details>
        </>
      }
    >
      <AnchoredHeading level={2} anchor={anchor} title={summary} />
      <p className="mt-1.5 flex flex-wrap items-center gap-2">
        <MethodBadge method={method} />
        <code className="font-mono text-[13px] wrap-anywhere">{path}</code>
      </p>
      {aliases.length > 0 && (
        <p className="mt-1 text-muted">
          <RichText text={`Also at ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`} />
        </p>
      )}
      <Callers operation={operation} />
      {inputs.map(({ title, fields }) => (
        <div key={title} className="mt-5">
          <h3 className="mb-1.5 text-[13px] font-semibold">{title}</h3>
          <FieldList fields={fields} owner={`${title.toLowerCase()}, ${call}`} />
        </div>
      ))}
      <ResponseDetails operation={operation} call={call} />
    </DocSection>
  );
}

function Callers({ operation: { scope, patients } }: { operation: Operation }) {
  const applications = scope && `applications with \`${scope}\``;
  const own = patients && (scope ? 'patients' : PATIENTS_ONLY);
  return (
    <p className="mt-2 text-muted">
      <RichText text={`Open to ${[applications, own].filter(Boolean).join(' and ')}.`} />
    </p>
  );
}

function ResponseDetails({ operation, call }: { operation: Operation; call: string }) {
  const { status, isAsync, model, headers, errors } = operation;
  return (
    <div className="mt-5">
      <h3 className="mb-1.5 text-[13px] font-semibold">Answer</h3>
      <p className="text-muted">
        <RichText text={`\`${status}\` with ${model.isList ? 'an array of' : 'one'} `} />
        <Link
          href={model.href}
          className="rounded-sm font-mono text-[13px] text-accent-ink underline underline-offset-3"
        >
          {model.name}
        </Link>
        {isAsync && <RichText text=", or `202` with the same while the operation continues in the background" />}
      </p>
      <details className="mt-2">
        <summary className="w-fit rounded-sm text-[13px] text-accent-ink">
          {headers.length} headers<span className="sr-only"> of the answer to {call}</span>
        </summary>
        <div className="mt-2">
          <FieldList
            fields={headers.map((header) => ({ ...header, required: false }))}
            owner={`the answer to ${call}`}
          />
        </div>
      </details>
      <details className="mt-2">
        <summary className="w-fit rounded-sm text-[13px] text-accent-ink">
          Errors<span className="sr-only"> of {call}</span>
        </summary>
        <table aria-label={`Errors of ${call}`} className="mt-2 w-full text-left">
          <thead className="sr-only">
            <tr>
              <th scope="col">Status</th>
              <th scope="col">Codes</th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ status: code, codes }) => (
              <tr key={code} className="border-t border-line align-baseline">
                <th scope="row" className="w-14 py-2 font-mono text-[13px] font-medium">
                  {code}
                </th>
                <td className="py-2">
                  <ul className="flex flex-wrap gap-x-3 gap-y-1">
                    {codes.map((name) => (
                      <li key={name} title={ERRORS[name].title}>
                        <Link
                          href={`/docs/conventions#${name}`}
                          className="inline-flex min-h-6 items-center rounded-sm font-mono text-[13px] wrap-anywhere text-muted hover:text-ink hover:underline"
                        >
                          {name}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

type DocSectionProps = { anchor: string; children: ReactNode; aside?: ReactNode };

/** A section with an anchor: text on the left, examples on the right where they fit. */
function DocSection({ anchor, children, aside }: DocSectionProps) {
  return (
    <section
      id={anchor}
      aria-labelledby={`${anchor}-title`}
      className="scroll-mt-13 border-t border-line py-8 xl:grid xl:grid-cols-[minmax(0,1fr)_29rem] xl:gap-8 2xl:grid-cols-[minmax(0,1fr)_36rem]"
    >
      <div className="min-w-0">{children}</div>
      {aside && <div className="grid min-w-0 content-start gap-4 max-xl:mt-6">{aside}</div>}
    </section>
  );
}

/** Marks optional fields of a response instead of required ones. */
const asResponseField = (field: Field): Field => ({
  ...field,
  type: field.required ? field.type : `${field.type}, not always there`,
  required: false,
  fields: field.fields.map(asResponseField),
});

export function ModelSection({ model: { name, anchor, fields, example } }: { model: Model }) {
  return (
    <DocSection
      anchor={anchor}
      aside={<CodeBlock isFullHeight title="Example" of={`the ${name} object`} code={example} />}
    >
      <AnchoredHeading level={2} anchor={anchor} title={`The ${name} object`} />
      <div className="mt-3">
        <FieldList fields={fields.map(asResponseField)} owner={name} />
      </div>
    </DocSection>
  );
}

/**
 * A list of fields with their types and limits; nested fields are collapsible. `owner` makes the label unique on a
 * page.
 */
function FieldList({ fields, owner }: { fields: Field[]; owner: string }) {
  return (
    <ul aria-label={`Fields of ${owner}`} className="divide-y divide-line border-y border-line">
      {fields.map((field) => (
        <li key={field.name} className="py-2.5">
          <FieldRow field={field} owner={owner} />
        </li>
      ))}
    </ul>
  );
}

function FieldRow({ field, owner }: { field: Field; owner: string }) {
  const { name, type, required, description, limits, values, fields } = field;
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-mono text-[13px] font-semibold wrap-anywhere">{name}</code>
        <span className="text-[13px] text-muted">{type}</span>
        {required && <span className="text-xs font-medium text-warn-ink">required</span>}
      </p>
      {(description || limits) && (
        <p className="mt-0.5 text-muted">
          {description && <RichText text={description} />}
          {description && limits && ' '}
          {limits && (
            <span className="whitespace-nowrap">{`${limits.charAt(0).toUpperCase()}${limits.slice(1)}.`}</span>
          )}
        </p>
      )}
      {values.length > 0 && (
        <p className="mt-1 flex flex-wrap gap-1 text-muted">
          <span className="sr-only">One of</span>
          {values.map((value) => (
            <code key={value} className="rounded-sm bg-neutral-soft px-1.5 font-mono text-xs/5 text-neutral-ink">
              {value}
            </code>
          ))}
        </p>
      )}
      {fields.length > 0 && (
        <details className="mt-1.5">
          <summary className="w-fit rounded-sm text-[13px] text-accent-ink">
            {fields.length} fields<span className="sr-only"> of {name}</span>
          </summary>
          <div className="mt-2 border-l-2 border-line pl-4">
            <FieldList fields={fields} owner={`${name} of ${owner}`} />
          </div>
        </details>
      )}
    </>
  );
}

/** A sentence in which `backticks` mark code. */
function RichText({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed sentence
      <code key={index} className="rounded-sm bg-neutral-soft px-1 font-mono text-[0.92em] wrap-anywhere text-ink">
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one fixed sentence
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
