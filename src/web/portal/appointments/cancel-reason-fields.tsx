'use client';
import { useQuery } from '@tanstack/react-query';
import type { Ref } from 'react';
import { MAX_REASON_LENGTH } from '#contract/limits.ts';
import { SCHEDULING_PROVIDER } from '#contract/scheduling-provider.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { Field } from '#web/ui/field.tsx';
import { LongText, lengthError } from '#web/ui/long-text.tsx';
import { PlainSelect } from '#web/ui/plain-select.tsx';
import { useTRPC } from '../../trpc-client.tsx';

/** `choice` is one of the clinic's reasons, or `null` for none; `text` is another reason, while it is written. */
export type CancelReason = { choice: string | null; text: string | null; isTold: boolean };
export const NO_REASON: CancelReason = { choice: null, text: null, isTold: false };

/** The input of a cancellation. It always says whether the patient may read the reason. */
export function reasonInput({ choice, text, isTold }: CancelReason): { reason?: string; tell_patient: boolean } {
  const reason = (text ?? choice ?? '').trim();
  return { ...(reason && { reason }), tell_patient: isTold };
}

/** Returns why the reason cannot be saved: another one is chosen and not written, or it is too long. Otherwise null. */
export const reasonError = ({ text }: CancelReason): string | null =>
  text?.trim() === '' ? 'Write the reason, or choose “No reason”.' : lengthError(text ?? '', MAX_REASON_LENGTH);

const LABEL = 'Why?';
/** Values of the select; those of the clinic's reasons have a prefix, because a clinic may choose any text. */
const NONE = 'none';
const OTHER = 'other';
const FROM_LIST = 'list:';

type CancelReasonFieldsProps = {
  value: CancelReason;
  onChange: (value: CancelReason) => void;
  /** The appointment is in an account that is not connected any more. */
  isFormer: boolean;
  /** Of the text. */
  error: string | null;
  textRef: Ref<HTMLTextAreaElement>;
};

/** The clinic's reasons to choose from, a free text, and whether the patient may read it. */
export function CancelReasonFields({ value, onChange, isFormer, error, textRef }: CancelReasonFieldsProps) {
  const trpc = useTRPC();
  const reasons = useQuery(trpc.clinic.listCancelReasons.queryOptions({}));
  const { choice, text, isTold } = value;
  const isFree = text !== null;
  // Without a list only the free text is left.
  const hasList = reasons.data?.reasons.length !== 0;
  const listed = [...new Set([...(reasons.data?.reasons ?? []), ...(choice === null ? [] : [choice])])];
  const provider = SCHEDULING_PROVIDER.name;
  const hint = isFormer
    ? 'Saved with the appointment.'
    : `Saved with the appointment and in ${provider}. If the patient should not see it, it is left out of ${provider} when ${provider} would email it.`;
  const choose = (option: string) =>
    onChange({
      choice: option.startsWith(FROM_LIST) ? option.slice(FROM_LIST.length) : null,
      text: option === OTHER ? '' : null,
      isTold,
    });
  return (
    <div className="grid gap-4">
      {hasList && (
        <Field label={LABEL} required={false} hint={hint}>
          <PlainSelect
            value={isFree ? OTHER : choice === null ? NONE : FROM_LIST + choice}
            onValueChange={choose}
            options={[
              { value: NONE, label: 'No reason' },
              ...listed.map((reason) => ({ value: FROM_LIST + reason, label: reason })),
              { value: OTHER, label: 'Another reason' },
            ]}
          />
        </Field>
      )}
      {(isFree || !hasList) && (
        <Field
          {...(hasList ? { label: 'Another reason', required: true } : { label: LABEL, required: false, hint })}
          error={error ?? undefined}
        >
          <LongText
            ref={textRef}
            rows={2}
            limit={MAX_REASON_LENGTH}
            value={text ?? ''}
            onChange={({ target }) =>
              // Without a list, an empty text is no reason.
              onChange({ choice: null, text: hasList ? target.value : target.value.trimStart() || null, isTold })
            }
          />
        </Field>
      )}
      {(isFree || choice !== null) && (
        <Checkbox
          label="Tell the patient the reason"
          hint="They can read it in your app, and may find it in the email about the cancellation."
          checked={isTold}
          onCheckedChange={(checked) => onChange({ ...value, isTold: checked })}
        />
      )}
    </div>
  );
}
