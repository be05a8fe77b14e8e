import type { ChoiceReason } from '#contract/message-choices.ts';
import type { MessageChannel } from '#contract/message-templates.ts';
import type { AddressSignal } from '#generated/prisma/client.ts';
import { DAY } from '#server/core/clock.ts';
import type { Services } from '#server/core/context.ts';
import { keyedHash } from '#server/core/crypto.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { enqueue } from '#server/core/jobs.ts';

export type State = 'allowed' | 'stopped';
export type Signal = {
  channel: MessageChannel;
  /** E.164, or an email address in any case. */
  address: string;
  /** Our number that received the text; none for email. */
  sender?: string;
  state: State;
  because: Extract<ChoiceReason, 'stop' | 'start' | 'bounced' | 'complained' | 'staff' | 'patient'>;
  words?: string | null;
  /** The provider's id of the report, which identifies a replay. */
  providerId?: string;
};
type SignalServices = Pick<Services, 'cipher' | 'clock'>;
type SignalTx = Pick<Tx, 'addressSignal' | '$executeRaw'>;

/** Returns the number that a reader can text START to; null for a messaging service, which has several. */
export const numberOf = (sender: string | null): string | null => (sender?.startsWith('MG') ? null : sender || null);

const boundTo = (id: string) => `address_signals/${id}/words`;
const JOB = 'jobs/tell_of_signal';
/** Per address and day. Further texts are still obeyed, but cause no more jobs for every clinic. */
const MAX_DISTRIBUTED_PER_DAY = 20;
/** A signal from one clinic is already stored there; other clinics must not learn that the patient goes there too. */
const CLINIC_REASONS: Signal['because'][] = ['staff', 'patient'];

/** Returns a keyed hash of the address, for columns that never need the address itself. */
const hashAddress = (services: Pick<Services, 'cipher'>, channel: MessageChannel, address: string) =>
  new Uint8Array(keyedHash(services, 'address-signals', channel, address.trim().toLowerCase()));

/**
 * Stores a signal of an address and queues its distribution to the clinics of its patients, in the caller's
 * transaction.
 * @returns false for a replay, which changes nothing
 */
export async function writeSignal(tx: SignalTx, services: SignalServices, signal: Signal): Promise<boolean> {
  const { channel, address, sender = '', state, because, words, providerId } = signal;
  const at = services.clock.now();
  const id = newId(at);
  const addressHash = hashAddress(services, channel, address);
  const { count } = await tx.addressSignal.createMany({
    data: [
      {
        ...{ id, channel, sender, state, because, at },
        addressHash,
        words: words ? services.cipher.seal(words, boundTo(id)) : null,
        providerId: providerId ?? null,
      },
    ],
    skipDuplicates: true,
  });
  if (count === 0) return false;
  const today = { channel, addressHash, at: { gt: new Date(at.getTime() - DAY) } };
  if (CLINIC_REASONS.includes(because) || (await tx.addressSignal.count({ where: today })) > MAX_DISTRIBUTED_PER_DAY)
    return true;
  const sealed = Buffer.from(services.cipher.seal(JSON.stringify({ id, address }), JOB)).toString('base64');
  await enqueue(tx, 'tell_of_signal', { sealed });
  return true;
}

/** Returns the job's signal id and the address, which the signal itself does not hold. */
export const openSignalJob = ({ cipher }: Pick<Services, 'cipher'>, sealed: string): { id: string; address: string } =>
  JSON.parse(cipher.open(Buffer.from(sealed, 'base64'), JOB));

export const signalText = ({ cipher }: Pick<Services, 'cipher'>, { id, words }: Pick<AddressSignal, 'id' | 'words'>) =>
  words && cipher.open(words, boundTo(id));

type Latest = Pick<AddressSignal, 'id' | 'sender' | 'state' | 'because' | 'words' | 'at'>;

/**
 * Returns the current signals of an address for each of our senders, the latest first; those of an email address apply
 * to all senders. No other signal undoes a complaint, only the patient at a clinic.
 */
export async function latestSignals(
  db: Pick<Tx, 'addressSignal'>,
  services: Pick<Services, 'cipher'>,
  channel: MessageChannel,
  address: string,
): Promise<Latest[]> {
  const signals = await db.addressSignal.findMany({
    where: { channel, addressHash: hashAddress(services, channel, address) },
    distinct: ['sender', 'because'],
    orderBy: [{ at: 'desc' }, { id: 'desc' }],
    select: { id: true, sender: true, state: true, because: true, words: true, at: true },
  });
  const isUndone = ({ sender }: Latest, index: number) =>
    signals.slice(0, index).some((later) => later.sender === sender && later.state === 'allowed');
  return signals.filter((signal, index) => signal.because === 'complained' || !isUndone(signal, index));
}
