import { CodeBlock } from '../../ui/code-block.tsx';
import { AnchoredHeading } from '../anchored-heading.tsx';
import { DocSection } from './doc-section.tsx';
import { FieldList } from './field-list.tsx';
import type { Model } from './read-reference.ts';
import type { Field } from './schema-fields.ts';

/** Marks optional fields of a response instead of required ones. */
const asAnswered = (field: Field): Field => ({
  ...field,
  type: field.required ? field.type : `${field.type}, not always there`,
  required: false,
  fields: field.fields.map(asAnswered),
});

export function ModelSection({ model: { name, anchor, fields, example } }: { model: Model }) {
  return (
    <DocSection anchor={anchor} aside={<CodeBlock whole title="Example" of={`the ${name} object`} code={example} />}>
      <AnchoredHeading level={2} anchor={anchor} title={`The ${name} object`} />
      <div className="mt-3">
        <FieldList fields={fields.map(asAnswered)} owner={name} />
      </div>
    </DocSection>
  );
}
