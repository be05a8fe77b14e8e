import type { AuditAction } from '#contract/audit-actions.ts';
import type { CreatePatientInput, PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { newId } from '#server/core/ids.ts';
import { type EventName, record } from '#server/core/record.ts';
import { writeNestedRows } from './nested-rows.ts';
import { rethrowUniqueViolation, tenantToday } from './patient.ts';
import { getPatientView } from './patient-view.ts';
import { type NewPatient, planNewPatient } from './plan-patient.ts';
import { searchText } from './search-text.ts';

/** Inserts a new patient with audit entry and event, in the caller's transaction. The patient cannot sign in yet. */
export async function insertPatient(
  tx: Tx,
  ctx: Context,
  { id, plan, action, event }: { id: string; plan: NewPatient; action: AuditAction; event: EventName },
): Promise<PatientView> {
  const { columns, email, phones, addresses } = plan;
  const { firstName = null, middleName = null, lastName = null, externalId = null, tagList = [] } = columns;
  const phoneNumbers = phones.rows.map((row) => row.number);
  const now = ctx.clock.now();
  await tx.patient.create({
    data: {
      ...columns,
      id,
      tenantId: ctx.tenantId,
      email,
      phoneNumber: phones.rows.find((row) => row.primary)?.number ?? null,
      races: columns.races ?? [],
      tagList,
      searchText: searchText({ firstName, middleName, lastName, email, externalId, tagList, phoneNumbers }),
      createdAt: now,
      updatedAt: now,
    },
  });
  await writeNestedRows(tx, ctx, id, phones, addresses);
  const view = await getPatientView(tx, ctx, id);
  await record(tx, ctx, { action, object: { type: 'Patient', id }, patientId: id, event, payload: view });
  return view;
}

/** Creates a patient without a sign-in, accessible only by impersonation. */
export async function createPatient(ctx: Context, input: CreatePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const plan = planNewPatient(input, await tenantToday(ctx));
  const id = newId(ctx.clock.now());
  const write = ctx.db.$transaction((tx) =>
    insertPatient(tx, ctx, { id, plan, action: 'patients.create', event: 'patient.created' }),
  );
  return write.catch(rethrowUniqueViolation);
}
