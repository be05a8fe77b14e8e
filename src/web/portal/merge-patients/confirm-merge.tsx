'use client';
import { Fragment } from 'react';
import { AlertCancel, AlertFrame } from '#web/ui/alert-frame.tsx';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/form-error.tsx';
import { nameOfPatient } from '../patients/patient.ts';
import { recordLabels } from './merge-labels.ts';
import type { Confirming } from './use-merge.ts';

type ConfirmMergeProps = {
  confirming: Confirming;
  isMerging: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks for confirmation, naming both records. */
export function ConfirmMerge({ confirming, isMerging, error, onConfirm, onClose }: ConfirmMergeProps) {
  const { patient, other } = confirming.preview;
  return (
    <AlertFrame
      title={`Merge ${nameOfPatient(other)} into ${nameOfPatient(patient)}?`}
      description="This cannot be undone."
      onClose={onClose}
      actions={
        <>
          <AlertCancel asChild>
            <Button>Keep both</Button>
          </AlertCancel>
          <Button variant="danger" pending={isMerging} onClick={onConfirm}>
            Merge records
          </Button>
        </>
      }
    >
      <dl className="mt-4 grid gap-2 rounded-lg border border-line px-3 py-2.5 wrap-anywhere">
        <div>
          <dt className="text-[13px] text-muted">Kept, with everything from both</dt>
          <dd>
            <Labels labels={recordLabels(patient)} />
          </dd>
        </div>
        <div>
          <dt className="text-[13px] text-muted">Archived</dt>
          <dd>
            <Labels labels={recordLabels(other)} />
          </dd>
        </div>
      </dl>
      {error !== null && (
        <div className="mt-3">
          <FormError>{firstErrorMessage(error)}</FormError>
        </div>
      )}
    </AlertFrame>
  );
}

/** Labels with commas between; a line ends within a label, as in a phone number, only where it is longer than the line. */
function Labels({ labels }: { labels: string[] }) {
  return labels.map((label, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: labels may be equal, and do not move
    <Fragment key={`${index} ${label}`}>
      {index > 0 && ' '}
      <span className="inline-block">
        {label}
        {index < labels.length - 1 && ','}
      </span>
    </Fragment>
  ));
}
