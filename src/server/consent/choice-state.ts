import type { ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { MessageChoice } from '#generated/prisma/client.ts';
import type { Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { latestSignals, numberOf, type State } from './signals.ts';

/** The state of one channel to a patient, its reason and its start. */
export type ChoiceState = { state: State; because: ChoiceReason | null; sender: string | null; at: Date | null };
type ChoiceQuery = { tenantId: string; patientId: string; channel: MessageChannel; address: string | null };
const DEFAULT_STATE: ChoiceState = { state: 'allowed', because: null, sender: null, at: null };

/**
 * Returns the state. Signals of the address take precedence over choices at the clinic: staff cannot undo a STOP. A
 * STOP to one of our numbers ends all unsolicited texts until that number receives START. A complaint ends all emails,
 * except from clinics where the patient has allowed them again.
 */
export async function getChoiceState(
  db: Pick<Tx, 'addressSignal' | 'messageChoice'>,
  services: Pick<Services, 'cipher'>,
  query: ChoiceQuery,
): Promise<ChoiceState> {
  const { channel, address } = query;
  const signals = address ? await latestSignals(db, services, channel, address) : [];
  const stops = signals.filter(({ state }) => state === 'stopped');
  const complaint = stops.find(({ because }) => because === 'complained');
  if (complaint && !(await isAllowedSince(db, query, complaint.at))) return toChoiceState(complaint);
  const stop = stops.find((signal) => signal !== complaint);
  if (stop) return toChoiceState(stop);
  const choice = await lastChoice(db, query);
  // START applies to all clinics; an address that works again says nothing about its owner's wish.
  const started = signals.filter(({ because }) => because === 'start');
  const latest = [...started, ...(choice ? [choice] : [])].sort((a, b) => b.at.getTime() - a.at.getTime())[0];
  return latest ? toChoiceState(latest) : DEFAULT_STATE;
}

type Choices = Pick<Tx, 'messageChoice'>;
type Patient = Pick<ChoiceQuery, 'tenantId' | 'patientId' | 'channel'>;

/** Returns the last choice made at the clinic itself, regardless of the address's signals. */
export const lastChoice = (db: Choices, { tenantId, patientId, channel }: Patient): Promise<MessageChoice | null> =>
  db.messageChoice.findFirst({
    where: { tenantId, patientId, channel, signalId: null },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
  });

async function isAllowedSince(db: Choices, { tenantId, patientId, channel }: Patient, since: Date): Promise<boolean> {
  const own = { because: 'patient', state: 'allowed', signalId: null, at: { gt: since } };
  return (await db.messageChoice.count({ where: { tenantId, patientId, channel, ...own } })) > 0;
}

const toChoiceState = ({
  state,
  because,
  sender,
  at,
}: {
  state: string;
  because: string;
  sender: string | null;
  at: Date;
}): ChoiceState => ({ state: state as State, because: because as ChoiceReason, sender: numberOf(sender), at });
