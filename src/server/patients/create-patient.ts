import type { CreatePatientInput, PatientView } from '#contract/patients.ts';
import { requireScope } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import { record } from '#server/core/record.ts';
import { patientColumns } from './patient-columns.ts';
import { refusePatientFaults } from './patient-faults.ts';
import { planAddresses } from './plan-addresses.ts';
import { planPhones } from './plan-phones.ts';
import { presentPatient } from './present-patient.ts';
import { readPatient } from './read-patient.ts';
import { refuseTaken } from './refuse-taken.ts';
import { searchText } from './search-text.ts';
import { tenantToday } from './tenant-today.ts';
import { writeNestedRows } from './write-nested-rows.ts';

/** Creates a patient who cannot sign in and is reached by impersonation only. */
export async function createPatient(ctx: Context, input: CreatePatientInput): Promise<PatientView> {
  requireScope(ctx.actor, 'patients:write', { patients: false });
  const today = await tenantToday(ctx);
  const phones = planPhones([], input);
  const addresses = planAddresses([], input);
  refusePatientFaults(input.birth_date, today, [...phones.faults, ...addresses.faults]);
  const now = ctx.clock.now();
  const id = newId(now);
  const columns = patientColumns(input);
  const email = input.email ?? null;
  const { firstName = null, middleName = null, lastName = null, externalId = null } = columns;
  const phoneNumbers = phones.rows.map((row) => row.number);

  const write = ctx.db.$transaction(async (tx) => {
    await tx.patient.create({
      data: {
        ...columns,
        id,
        tenantId: ctx.tenantId,
        email,
        phoneNumber: phones.rows.find((row) => row.primary)?.number ?? null,
        races: columns.races ?? [],
        tagList: columns.tagList ?? [],
        searchText: searchText({ firstName, middleName, lastName, email, externalId, phoneNumbers }),
        createdAt: now,
        updatedAt: now,
      },
    });
    await writeNestedRows(tx, ctx, id, phones, addresses);
    const view = presentPatient((await readPatient(tx, ctx.tenantId, id))!, today);
    await record(tx, ctx, {
      action: 'patients.create',
      object: { type: 'Patient', id },
      patientId: id,
      event: 'patient.created',
      payload: view,
    });
    return view;
  });
  return write.catch(refuseTaken);
}
