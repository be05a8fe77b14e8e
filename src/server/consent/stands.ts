import type { ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-words.ts';
import type { MessageChoice } from '#generated/prisma/client.ts';
import type { Services } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { latestSignals, type State } from './signals.ts';

/** How it stands with one way to a patient, and since when. */
export type Stands = { state: State; because: ChoiceReason | null; sender: string | null; at: Date | null };
type Asked = { tenantId: string; patientId: string; channel: MessageChannel; address: string | null };
const NEVER_SAID: Stands = { state: 'allowed', because: null, sender: null, at: null };

/**
 * What the address told comes before what was chosen at the clinic: no word of staff's undoes a STOP. A STOP to one number
 * of ours stops all that is sent unasked by text, until that number is told START. Who complained gets nothing of any
 * clinic but of those whose page of choices they asked again.
 */
export async function howItStands(
  db: Pick<Tx, 'addressSignal' | 'messageChoice'>,
  services: Pick<Services, 'cipher'>,
  asked: Asked,
): Promise<Stands> {
  const { channel, address } = asked;
  const told = address ? await latestSignals(db, services, channel, address) : [];
  const stops = told.filter(({ state }) => state === 'stopped');
  const complaint = stops.find(({ because }) => because === 'complained');
  if (complaint && !(await askedAgain(db, asked, complaint.at))) return standsAs(complaint);
  const stop = stops.find((one) => one !== complaint);
  if (stop) return standsAs(stop);
  const chosen = await lastChoice(db, asked);
  // Who texts START means it for all clinics; that an address can be reached again says nothing of what its owner wants.
  const started = told.filter(({ because }) => because === 'start');
  const latest = [...started, ...(chosen ? [chosen] : [])].sort((a, b) => b.at.getTime() - a.at.getTime())[0];
  return latest ? standsAs(latest) : NEVER_SAID;
}

type Choices = Pick<Tx, 'messageChoice'>;
type Patient = Pick<Asked, 'tenantId' | 'patientId' | 'channel'>;

/** What was chosen last at the clinic itself, whatever the address told. */
export const lastChoice = (db: Choices, { tenantId, patientId, channel }: Patient): Promise<MessageChoice | null> =>
  db.messageChoice.findFirst({
    where: { tenantId, patientId, channel, signalId: null },
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
  });

async function askedAgain(db: Choices, { tenantId, patientId, channel }: Patient, since: Date): Promise<boolean> {
  const own = { because: 'patient', state: 'allowed', signalId: null, at: { gt: since } };
  return (await db.messageChoice.count({ where: { tenantId, patientId, channel, ...own } })) > 0;
}

const standsAs = ({
  state,
  because,
  sender,
  at,
}: {
  state: string;
  because: string;
  sender: string | null;
  at: Date;
}): Stands => ({ state: state as State, because: because as ChoiceReason, sender: sender || null, at });
