import { setTimeout as pause } from 'node:timers/promises';
import { SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { newId } from '#server/core/ids.ts';
import type { CardOwner } from './card-owner.ts';

/** How long a change waits for another change of the same patient's cards. */
const WAIT_MS = 5 * SECOND;
const LOOK_EVERY_MS = 50;

const busy = () => refuse('conflict', 'The cards of this patient are being changed right now. Try again in a moment.');

/** Renews the lease; throws when it was lost. Called before each change at Stripe. */
export type GoOn = () => Promise<void>;

/**
 * Runs `work` under a lease on the patient's cards: Stripe checks one card at a time and would let two concurrent
 * requests remove the last two. A lease, because Stripe is not called inside a transaction; after a crash it blocks
 * other changes for as long as a call may take.
 */
export async function holdCards<T>(ctx: Context, owner: CardOwner, work: (goOn: GoOn) => Promise<T>): Promise<T> {
  const { accountId, customerId, patient } = owner;
  // Without a customer there are no cards.
  if (!customerId) return work(async () => {});
  const { tenantId, db, clock, config } = ctx;
  const cardsHolder = newId(clock.now());
  const where = { tenantId, patientId: patient.id, accountId };
  // Longer than one call: two attempts and the wait between them.
  const leaseMs = 2 * config.providerTimeoutMs + 5 * SECOND;
  const until = () => new Date(clock.now().getTime() + leaseMs);
  const take = () =>
    db.processorCustomer.updateMany({
      where: { ...where, OR: [{ cardsHeldUntil: null }, { cardsHeldUntil: { lt: clock.now() } }] },
      data: { cardsHolder, cardsHeldUntil: until() },
    });
  const giveUpAt = performance.now() + WAIT_MS;
  while ((await take()).count === 0) {
    if (performance.now() > giveUpAt) throw busy();
    await pause(LOOK_EVERY_MS);
  }
  try {
    return await work(async () => {
      const { count } = await db.processorCustomer.updateMany({
        where: { ...where, cardsHolder },
        data: { cardsHeldUntil: until() },
      });
      if (count === 0) throw busy();
    });
  } finally {
    await db.processorCustomer.updateMany({
      where: { ...where, cardsHolder },
      data: { cardsHolder: null, cardsHeldUntil: null },
    });
  }
}
