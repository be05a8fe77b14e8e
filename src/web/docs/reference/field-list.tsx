import { RichText } from '../rich-text.tsx';
import type { Field } from './schema-fields.ts';

/**
 * A list of fields with their types and limits; nested fields are collapsible. `owner` makes the label unique on a
 * page.
 */
export function FieldList({ fields, owner }: { fields: Field[]; owner: string }) {
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
          {limits && <span className="whitespace-nowrap">{`${limits[0]!.toUpperCase()}${limits.slice(1)}.`}</span>}
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
