import { isDeepStrictEqual } from 'node:util';
import type { PatientView, UpdatePatientInput } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { refuse } from '#server/core/errors.ts';
import { record } from '#server/core/record.ts';
import { assertNotArchived } from './in-care.ts';
import { lockPatient } from './lock-patient.ts';
import { planAddresses } from './plan-addresses.ts';
import { patientColumns, refusePatientFaults } from './plan-patient.ts';
import { planPhones } from './plan-phones.ts';
import { presentPatient } from './present-patient.ts';
import { queueCustomerUpdate } from './queue-customer-update.ts';
import { readPatient } from './read-patient.ts';
import { refuseTaken } from './refuse-taken.ts';
import { searchText } from './search-text.ts';
import { tenantToday } from './tenant-today.ts';
import { lockEmail, planEmail } from './write-email.ts';
import { writeNestedRows } from './write-nested-rows.ts';

/**
 * Updates the given fields; `metadata`, `races`, `ethnicities` and `tag_list` are replaced as a whole. A new primary
 * number must be verified again, and so must a new email address, which can be set only for a patient without a
 * sign-in.
 */
export async function updatePatient(ctx: Context, { id, ...input }: UpdatePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write');
  // A conflict would reveal to a patient which external ids exist.
  if (ctx.actor.kind === 'patient' && input.external_id !== undefined)
    throw refuse('forbidden', 'external_id is set by your clinic.', { source: { pointer: '/external_id' } });
  const today = await tenantToday(ctx);
  const write = ctx.db.$transaction(async (tx) => {
    await lockEmail(tx, ctx, id, input.email);
    const patient = await lockPatient(ctx, tx, id);
    assertNotArchived(patient);
    const phones = planPhones(patient.phones, input);
    const addresses = planAddresses(patient.addresses, input);
    refusePatientFaults(input.birth_date, today, [...phones.faults, ...addresses.faults]);

    const email = await planEmail(tx, ctx, patient, input.email);
    const columns = { ...patientColumns(input), ...email.columns };
    const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
    const phoneNumbers = phones.rows.map((row) => row.number);
    const phoneNumber = phones.rows.find((row) => row.primary)?.number ?? null;
    await writeNestedRows(tx, ctx, id, phones, addresses);
    await tx.patient.update({
      where: { tenantId_id: { tenantId: ctx.tenantId, id } },
      data: {
        ...columns,
        phoneNumber,
        phoneNumberVerified: patient.phoneNumberVerified && phoneNumber === patient.phoneNumber,
        searchText: searchText({ ...patient, ...given, phoneNumbers }),
        updatedAt: ctx.clock.now(),
      },
    });
    await queueCustomerUpdate(tx, ctx, id);
    const before = presentPatient(patient, today);
    const view = presentPatient((await readPatient(tx, ctx.tenantId, id))!, today);
    const changed = changedFields(before, view);
    await record(tx, ctx, {
      action: 'patients.update',
      object: { type: 'Patient', id },
      patientId: id,
      details: { changed, ...email.details },
      ...(changed.length > 0 && { event: 'patient.updated', payload: view }),
    });
    return view;
  });
  return write.catch(refuseTaken);
}

const changedFields = (before: PatientView, after: PatientView): string[] =>
  (Object.keys(after) as (keyof PatientView)[]).filter(
    (field) => field !== 'updated_at' && !isDeepStrictEqual(before[field], after[field]),
  );
