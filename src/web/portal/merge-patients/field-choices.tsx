import { RadioGroup } from 'radix-ui';
import { useId } from 'react';
import type { MergeField, MergePreviewView } from '#contract/merge-patients.ts';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { FIELD_LABELS, valueText } from './merge-labels.ts';

type FieldChoicesProps = {
  preview: MergePreviewView;
  /** Fields that take the other record's value. */
  taken: MergeField[];
  onChange: (field: MergeField, takesOther: boolean) => void;
};

/** For each field in which the records differ, the choice of the value that remains. */
export function FieldChoices({ preview, taken, onChange }: FieldChoicesProps) {
  const { fields } = preview;
  return (
    <Card aria-label="Details that differ">
      <CardHeader
        title="Details that differ"
        description={`${fields.length > 0 ? 'Choose what stays. ' : ''}Everything else is the same, or only on the kept record.`}
      />
      {fields.length > 0 && (
        <div className="divide-y divide-line">
          {fields.map(({ field, is_fixed }) => (
            <FieldChoice
              key={field}
              field={field}
              preview={preview}
              isFixed={is_fixed}
              takesOther={taken.includes(field)}
              onChange={(takesOther) => onChange(field, takesOther)}
            />
          ))}
        </div>
      )}
    </Card>
  );
}

type FieldChoiceProps = {
  field: MergeField;
  preview: MergePreviewView;
  isFixed: boolean;
  takesOther: boolean;
  onChange: (takesOther: boolean) => void;
};

function FieldChoice({ field, preview: { patient, other }, isFixed, takesOther, onChange }: FieldChoiceProps) {
  const labelId = useId();
  return (
    <div className="grid gap-x-4 gap-y-2 px-4 py-3 lg:grid-cols-[10rem_minmax(0,1fr)] lg:items-center">
      <h3 id={labelId} className="text-[13px] font-medium">
        {FIELD_LABELS[field]}
      </h3>
      {isFixed ? (
        <div>
          <p className="font-medium wrap-anywhere">{valueText(patient, field)}</p>
          <p className="text-[13px] text-muted">
            {patient.email
              ? 'The patient signs in with this address, and changes it by confirming the new one.'
              : 'The patient signs in, and adds an address by confirming it.'}
          </p>
        </div>
      ) : (
        <RadioGroup.Root
          aria-labelledby={labelId}
          value={takesOther ? 'other' : 'own'}
          onValueChange={(value) => onChange(value === 'other')}
          className="grid gap-2 sm:grid-cols-2"
        >
          <ChoiceCard value="own" title={valueText(patient, field)} hint="Kept record" />
          <ChoiceCard value="other" title={valueText(other, field)} hint="Other record" />
        </RadioGroup.Root>
      )}
    </div>
  );
}
