import type { MessageChoice } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { State } from './signals.ts';

type Choice = Omit<MessageChoice, 'tenantId' | 'state' | 'address' | 'words' | 'signalId'> & {
  state: State;
  address: string | null;
  words: string | null;
  signalId?: string | null;
};

const boundTo = (tenantId: string, id: string, column: string) => `message_choices/${tenantId}/${id}/${column}`;

/** Stores a patient's choice, encrypted. @returns false if the same signal is already stored for the patient */
export async function writeChoice(
  tx: Pick<Tx, 'messageChoice'>,
  { cipher, tenantId }: Pick<Context, 'cipher' | 'tenantId'>,
  { address, words, ...choice }: Choice,
): Promise<boolean> {
  const seal = (value: string | null, column: string) =>
    value === null ? null : cipher.seal(value, boundTo(tenantId, choice.id, column));
  const row = { ...choice, tenantId, address: seal(address, 'address'), words: seal(words, 'words') };
  const { count } = await tx.messageChoice.createMany({ data: [row], skipDuplicates: true });
  return count > 0;
}

export function openChoice(
  { cipher }: Pick<Context, 'cipher'>,
  { tenantId, id, address, words }: Pick<MessageChoice, 'tenantId' | 'id' | 'address' | 'words'>,
): { address: string | null; words: string | null } {
  const open = (sealed: Uint8Array | null, column: string) =>
    sealed && cipher.open(sealed, boundTo(tenantId, id, column));
  return { address: open(address, 'address'), words: open(words, 'words') };
}
