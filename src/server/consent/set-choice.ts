import type { ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { type ChoiceState, getChoiceState } from './choice-state.ts';
import { writeChoice } from './choices.ts';
import { latestSignals, type State, writeSignal } from './signals.ts';

type NewChoice = {
  patientId: string;
  channel: MessageChannel;
  address: string | null;
  state: State;
  because: Extract<ChoiceReason, 'unsubscribed' | 'patient' | 'staff'>;
  words: string | null;
  madeBy: string | null;
};

/**
 * Stores a patient's choice at this clinic, in the caller's transaction. Signals of the address have stricter rules:
 * only a START from the phone undoes a STOP, only the patient undoes a complaint and for this clinic alone, and anyone
 * undoes a bounce, for all clinics.
 * @throws `conflict` with the required step
 */
export async function setChoice(tx: Tx, ctx: Context, input: NewChoice): Promise<void> {
  const { patientId, channel, address, state, because, words, madeBy } = input;
  const { tenantId } = ctx;
  const current = await getChoiceState(tx, ctx, { tenantId, patientId, channel, address });
  if (state === 'allowed') {
    assertMayAllow(current, because);
    const signals = address ? await latestSignals(tx, ctx, channel, address) : [];
    if (address && signals.some((signal) => signal.because === 'bounced'))
      await writeSignal(tx, ctx, {
        ...{ channel, address, state },
        because: because === 'staff' ? 'staff' : 'patient',
      });
  }
  const at = ctx.clock.now();
  const choice = { id: newId(at), patientId, channel, state, because, address, words, madeBy, sender: null, at };
  await writeChoice(tx, ctx, choice);
  await record(tx, ctx, {
    action: state === 'stopped' ? 'message_choices.stop' : 'message_choices.allow',
    object: { type: 'Patient', id: patientId },
    patientId,
    details: { channel, because },
  });
}

function assertMayAllow({ state, because, sender }: ChoiceState, by: NewChoice['because']): void {
  if (state === 'allowed') return;
  if (because === 'stop') {
    const message = `The phone answered STOP to ${sender ?? 'our number'}. Only a text START from it to that number undoes that.`;
    throw apiError('conflict', message, { people: message, meta: { sender } });
  }
  if (because === 'complained' && by === 'staff') {
    const message =
      'The owner of this address reported our email as unwanted. Only the patient can undo that, with the link in one of our emails.';
    throw apiError('conflict', message, { people: message });
  }
}
