import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import type { AddressRow } from './plan-addresses.ts';
import type { NestedPlan } from './plan-nested-rows.ts';
import type { PhoneRow } from './plan-phones.ts';

/**
 * Writes both plans in the caller's transaction. Rows are un-marked first, because the exclusion constraint allows only
 * one primary row at any moment.
 */
export async function writeNestedRows(
  tx: Tx,
  ctx: Context,
  patientId: string,
  phones: NestedPlan<PhoneRow>,
  addresses: NestedPlan<AddressRow>,
): Promise<void> {
  const owner = { tenantId: ctx.tenantId, patientId };
  const createdAt = ctx.clock.now();
  const these = (ids: string[]) => ({ ...owner, id: { in: ids } });
  if (phones.dropped.length > 0) await tx.patientPhone.deleteMany({ where: these(phones.dropped) });
  if (phones.unprimed.length > 0)
    await tx.patientPhone.updateMany({ where: these(phones.unprimed), data: { primary: false } });
  for (const { id, ...data } of phones.changed) await tx.patientPhone.updateMany({ where: these([id]), data });
  if (phones.created.length > 0)
    await tx.patientPhone.createMany({ data: inOrder(phones.created).map((row) => ({ ...row, ...owner, createdAt })) });

  if (addresses.dropped.length > 0) await tx.patientAddress.deleteMany({ where: these(addresses.dropped) });
  if (addresses.unprimed.length > 0)
    await tx.patientAddress.updateMany({ where: these(addresses.unprimed), data: { primary: false } });
  for (const { id, ...data } of addresses.changed) await tx.patientAddress.updateMany({ where: these([id]), data });
  if (addresses.created.length > 0)
    await tx.patientAddress.createMany({
      data: inOrder(addresses.created).map((row) => ({ ...row, ...owner, createdAt })),
    });
}

/** Ids of one millisecond sort randomly; assigned in sorted order, they keep the order of the request. */
function inOrder<Row extends { id: string }>(rows: Row[]): Row[] {
  const ids = rows.map((row) => row.id).sort();
  return rows.map((row, index) => ({ ...row, id: ids[index]! }));
}
