import { type AppointmentView, CanceledBecause } from '#contract/scheduling.ts';
import type { Api } from './api.ts';
import { createLongPatient, LONG } from './long-patient.ts';
import { inServedDatabase } from './served-database.ts';

/** Eighty characters of several words. */
const LONG_TEXT = 'Consultation about the results of the examinations of the weeks before, by video'.padEnd(80, '!');

/** Every status that staff see, and the causes of cancellations that were made only here. */
const STATES: [status: AppointmentView['status'], because: CanceledBecause | null][] = [
  ['scheduled', null],
  ['no_show', null],
  ['canceled', null],
  ...CanceledBecause.options.map((because): [AppointmentView['status'], CanceledBecause] => ['canceled', because]),
];
/**
 * A reader in one of the first two zones sees a single time; the last zone has another day at night, and a long name.
 */
const ZONES = ['UTC', 'America/New_York', 'America/Bahia_Banderas'];

/** Rows of an account that no job compares, so that they are not canceled as unknown to Acuity. */
const ACCOUNT = 'planted';

export type WorstCaseAppointments = { patientId: string; name: RegExp; day: string; remove: () => Promise<unknown> };

/**
 * Appointments with everything that needs room in a row, of a patient with a name of maximum length: early and late on
 * the clinic's today and tomorrow, where it is another day for some readers, and on a `day` that has nothing else.
 */
export async function insertWorstCaseAppointments(api: Api): Promise<WorstCaseAppointments> {
  const { id, last_name } = await createLongPatient(api);
  const [appointment] = await api.appointmentsOf(id);
  const rows = STATES.flatMap(([status, because]) =>
    ZONES.flatMap((zone) => [LONG, LONG_TEXT].map((text) => ({ status, because, zone, text }))),
  );
  const day = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  await inServedDatabase(
    `insert into appointments (id, tenant_id, patient_id, appointment_type_id, appointment_type, calendar_id, calendar,
       start_at, end_at, time_zone, video_token, status, canceled_because, canceled_at, account_id, updated_at)
     select gen_random_uuid(), v.tenant_id, v.patient_id, v.appointment_type_id, r.text, v.calendar_id, r.text,
       at, at + interval '50 minutes', r.zone, gen_random_uuid(), r.status, r.because,
       case r.status when 'canceled' then now() end, $3, now()
     from appointments v join tenants t on t.id = v.tenant_id,
       jsonb_to_recordset($2) as r(status text, because text, zone text, text text),
       lateral (select date_trunc('day', now() at time zone t.time_zone) as today) as clock,
       unnest(array[today + interval '1 minute', today + interval '23 hours 30 minutes',
         today + interval '1 day', $4::timestamp + interval '23 hours 30 minutes']) as wall,
       lateral (select wall at time zone t.time_zone as at) as instant
     where v.id = $1`,
    [appointment!.id, JSON.stringify(rows), ACCOUNT, day],
  );
  return {
    patientId: id,
    name: new RegExp(last_name),
    day,
    remove: () => inServedDatabase('delete from appointments where account_id = $1', [ACCOUNT]),
  };
}
