import Link from 'next/link';
import { ERRORS } from '#contract/errors.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { AnchoredHeading } from '../anchored-heading.tsx';
import { RichText } from '../rich-text.tsx';
import { CodeSamples } from '../samples/language.tsx';
import { DocSection } from './doc-section.tsx';
import { FieldList } from './field-list.tsx';
import { MethodBadge } from './method-badge.tsx';
import { type Operation, PATIENTS_ONLY } from './read-reference.ts';

export function OperationSection({ operation }: { operation: Operation }) {
  const { anchor, method, path, aliases, summary, inputs, samples, responseExample: answer, status } = operation;
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
            <CodeBlock whole title={`Answer ${status}`} of={call} code={answer} />
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
      <Answer operation={operation} call={call} />
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

function Answer({ operation, call }: { operation: Operation; call: string }) {
  const { status, isAsync: goesOn, model, headers, errors } = operation;
  return (
    <div className="mt-5">
      <h3 className="mb-1.5 text-[13px] font-semibold">Answer</h3>
      <p className="text-muted">
        <RichText text={`\`${status}\` with ${model.isList ? 'an array of' : 'one'} `} />
        <Link
          href={model.href}
          prefetch={false}
          className="rounded-sm font-mono text-[13px] text-accent-ink underline underline-offset-3"
        >
          {model.name}
        </Link>
        {goesOn && <RichText text=", or `202` with the same while what was asked for goes on by itself" />}
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
                          prefetch={false}
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
