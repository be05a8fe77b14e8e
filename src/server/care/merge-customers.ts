import type { MergePreviewView } from '#contract/merge-patients.ts';
import type { ProcessorCustomer } from '#generated/prisma/client.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { queueCustomerUpdate } from '#server/patients/index.ts';

type Db = Pick<Tx, 'processorCustomer'>;
type Pair = { id: string; otherId: string };

/** What becomes of the other record's customer in one account. Stripe cannot merge two customers. */
type Step = { kind: 'move' | 'replace' | 'remain'; own: ProcessorCustomer | null; other: ProcessorCustomer };

/**
 * A patient is one customer in an account. The customer with the subscription remains; otherwise the patient's own, or
 * the other record's if the patient has none.
 */
async function planCustomers(
  db: Db,
  { tenantId }: Pick<Context, 'tenantId'>,
  { id, otherId }: Pair,
  { accountsSubscribed }: { accountsSubscribed: string[] },
): Promise<Step[]> {
  const rows = await db.processorCustomer.findMany({ where: { tenantId, patientId: { in: [id, otherId] } } });
  return rows
    .filter(({ patientId }) => patientId === otherId)
    .map((other) => {
      const own = rows.find(({ patientId, accountId }) => patientId === id && accountId === other.accountId) ?? null;
      if (!own) return { kind: 'move', own, other };
      const isNeeded = accountsSubscribed.includes(other.accountId) || (own.deletedAt && !other.deletedAt);
      return { kind: isNeeded ? 'replace' : 'remain', own, other };
    });
}

/** `accountsSubscribed`: the accounts in which the other record has a subscription that has not ended. */
export async function previewCustomers(
  db: Db,
  ctx: Pick<Context, 'tenantId'>,
  pair: Pair,
  subscribed: { accountsSubscribed: string[] },
): Promise<MergePreviewView['cards']> {
  const kinds = (await planCustomers(db, ctx, pair, subscribed))
    .filter(({ other }) => !other.deletedAt)
    .map(({ kind }) => kind);
  if (kinds.includes('replace')) return 'replace';
  if (kinds.includes('remain')) return 'remain';
  return kinds.length > 0 ? 'move' : 'none';
}

/** Gives the patient the customers of the other record, and queues that Stripe gets the patient's name for them. */
export async function mergeCustomers(
  tx: Tx,
  ctx: Context,
  pair: Pair,
  subscribed: { accountsSubscribed: string[] },
): Promise<void> {
  for (const { kind, own, other } of await planCustomers(tx, ctx, pair, subscribed)) {
    const key = ({ tenantId, patientId, accountId }: ProcessorCustomer) => ({
      tenantId_patientId_accountId: { tenantId, patientId, accountId },
    });
    if (kind === 'move') await tx.processorCustomer.update({ where: key(other), data: { patientId: pair.id } });
    if (kind !== 'replace' || !own) continue;
    await tx.processorCustomer.update({ where: key(own), data: columnsOf(other) });
    await tx.processorCustomer.update({ where: key(other), data: columnsOf(own) });
  }
  await queueCustomerUpdate(tx, ctx, pair.id);
}

const columnsOf = ({ tenantId: _, patientId: __, accountId: ___, ...columns }: ProcessorCustomer) => columns;
