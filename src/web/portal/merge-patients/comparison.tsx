'use client';
import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { MergeField, MergePreviewView } from '#contract/merge-patients.ts';
import { Button } from '#web/ui/button.tsx';
import { Card, CardHeader } from '#web/ui/card.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { Link } from '#web/ui/link.tsx';
import { FieldChoices } from './field-choices.tsx';
import { consequencesOf, moveLabels } from './merge-labels.ts';
import { versionOf } from './use-merge.ts';

type ComparisonProps = {
  preview: MergePreviewView;
  /** The message of the server that refused to merge. */
  conflict: string | null;
  /** Asks to merge, with the fields that take the other record's value. */
  onMerge: (take: MergeField[]) => void;
};

const presetOf = ({ fields }: MergePreviewView): MergeField[] =>
  fields.filter(({ takes_other }) => takes_other).map(({ field }) => field);

/** The choices between the values of two records, what merging does, and the button that asks for it. */
export function Comparison({ preview, conflict, onMerge }: ComparisonProps) {
  const version = versionOf(preview);
  const [choice, setChoice] = useState({ version, taken: presetOf(preview) });
  // After a change of a record, the choices were made between other values.
  if (choice.version !== version) setChoice({ version, taken: presetOf(preview) });
  const { taken } = choice;
  const onChange = (field: MergeField, takesOther: boolean) =>
    setChoice({ version, taken: [...taken.filter((one) => one !== field), ...(takesOther ? [field] : [])] });
  return (
    <>
      <FieldChoices preview={preview} taken={taken} onChange={onChange} />
      <Card aria-label="What happens">
        <CardHeader title="What happens" />
        <Outcome preview={preview} />
        <div className="grid justify-items-start gap-3 border-t border-line p-4">
          {conflict && <FormError>{conflict}</FormError>}
          <Button variant="primary" className="max-sm:w-full" onClick={() => onMerge(taken)}>
            Merge records
          </Button>
        </div>
      </Card>
    </>
  );
}

function Outcome({ preview }: { preview: MergePreviewView }) {
  const moves = moveLabels(preview.moves);
  const { warnings, notes } = consequencesOf(preview);
  return (
    <div className="grid gap-4 p-4 md:grid-cols-2">
      <Group title="Moves to the kept record">
        {moves.length > 0 ? (
          moves.map((label) => <li key={label}>{label}</li>)
        ) : (
          <li>Nothing: the other record has no appointments, notes, tasks, subscriptions or payments.</li>
        )}
      </Group>
      <Group title="Also">
        {notes.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </Group>
      {warnings.length > 0 && (
        <div className="flex items-start gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn-ink md:col-span-2">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <ul aria-label="To know before you merge" className="grid gap-1">
            {warnings.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="text-[13px] font-semibold">{title}</h3>
      <ul aria-label={title} className="mt-1.5 grid list-disc gap-1 pl-4.5 marker:text-muted">
        {children}
      </ul>
    </div>
  );
}

/** Replaces the comparison of records that cannot be merged. */
export function Obstacles({ preview, conflict }: { preview: MergePreviewView; conflict: string | null }) {
  const { patient, other, obstacles } = preview;
  const details = obstacles.map(({ detail }) => detail);
  return (
    <div role="alert" className="flex items-start gap-2.5 rounded-xl bg-warn-soft px-4 py-3 text-warn-ink">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="grid gap-1.5">
        <h2 className="font-semibold">These records cannot be merged yet</h2>
        {(conflict && !details.some((detail) => conflict.includes(detail)) ? [conflict, ...details] : details).map(
          (detail) => (
            <p key={detail}>{detail}</p>
          ),
        )}
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          <Link href={`/patients/${patient.id}`} className="min-h-6 rounded-sm font-medium underline">
            Open the kept record
          </Link>
          <Link href={`/patients/${other.id}`} className="min-h-6 rounded-sm font-medium underline">
            Open the other record
          </Link>
        </p>
      </div>
    </div>
  );
}
