import type { AuditAction } from '#contract/audit-actions.ts';
import type { Context } from '#server/core/context.ts';
import type { Prisma, Tx } from '#server/core/db.ts';
import { record } from '#server/core/record.ts';
import { writeNestedRows } from './nested-rows.ts';
import { queueCustomerUpdate } from './patient.ts';
import { getPatientView } from './patient-view.ts';
import type { NewPatient } from './plan-patient.ts';
import { searchText } from './search-text.ts';

/** The defaults of a record without data. */
const BLANK = {
  firstName: null,
  middleName: null,
  lastName: null,
  birthDate: null,
  administrativeGender: 'unknown',
  genderIdentity: null,
  races: [],
  ethnicities: [] as Prisma.InputJsonArray,
  tagList: [],
  metadata: {} as Prisma.InputJsonObject,
  timeZone: null,
  language: null,
  termsAcceptedAt: null,
} satisfies Record<Exclude<keyof NewPatient['columns'], 'externalId'>, unknown>;

/** Replaces all data of a record by a plan, except email and external id, in the caller's transaction. */
export async function replacePatient(
  tx: Tx,
  ctx: Context,
  { id, plan, action }: { id: string; plan: NewPatient; action: AuditAction },
): Promise<void> {
  const owner = { tenantId: ctx.tenantId, patientId: id };
  const where = { tenantId_id: { tenantId: ctx.tenantId, id } };
  const definedColumns = Object.fromEntries(Object.entries(plan.columns).filter(([, value]) => value !== undefined));
  const columns = { ...BLANK, ...definedColumns } as typeof BLANK;
  await tx.patientPhone.deleteMany({ where: owner });
  await tx.patientAddress.deleteMany({ where: owner });
  await writeNestedRows(tx, ctx, id, plan.phones, plan.addresses);
  const { email, externalId } = await tx.patient.findUniqueOrThrow({
    where,
    select: { email: true, externalId: true },
  });
  const phoneNumbers = plan.phones.rows.map((row) => row.number);
  await tx.patient.update({
    where,
    data: {
      ...columns,
      phoneNumber: plan.phones.rows.find((row) => row.primary)?.number ?? null,
      phoneNumberVerified: false,
      searchText: searchText({ ...columns, email, externalId, phoneNumbers }),
      updatedAt: ctx.clock.now(),
    },
  });
  await queueCustomerUpdate(tx, ctx, id);
  const payload = await getPatientView(tx, ctx, id);
  await record(tx, ctx, {
    action,
    object: { type: 'Patient', id },
    patientId: id,
    event: 'patient.updated',
    payload,
  });
}
