'use client';
import type { AddressChangeView } from '#contract/address-changes.ts';
import { OpenedLink } from '../frame/opened-link.tsx';
import { UndoOutcome } from './undo-outcome.tsx';
import { UndoQuestion } from './undo-question.tsx';

const DEAD = {
  why: 'It is not complete, or is not one of ours.',
  askFor: 'for help if something is wrong with your account',
};

/**
 * The page behind the link that a replaced address receives: describes the effect of undoing the change, and undoes it.
 */
export function UndoChange() {
  return (
    <OpenedLink<AddressChangeView> page="undo" step="addressChanges.open" title="Undo a change" dead={DEAD}>
      {(change, ask) =>
        change.state === 'valid' ? (
          <UndoQuestion change={change} undo={() => ask('addressChanges.undo')} />
        ) : (
          <UndoOutcome change={change} />
        )
      }
    </OpenedLink>
  );
}
