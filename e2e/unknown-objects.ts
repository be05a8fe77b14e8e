import { randomSuffix } from './api.ts';
import { staffOf } from './card.ts';
import { inServedDatabase } from './served-database.ts';

/**
 * Inserts a subscription at Stripe of an unknown customer.
 * @returns its id
 */
export async function createUnknownSubscription(): Promise<string> {
  const id = `sub_Form${randomSuffix().replaceAll('-', '')}`;
  await inServedDatabase(
    `insert into unknown_subscriptions (tenant_id, id, account_id, customer_id, status, name, first_seen_at, seen_at)
     select tenant_id, $1, account_id, 'cus_Form', 'active', 'Essential care', now(), now()
     from integrations where provider = 'stripe' and tenant_id =
       (select tenant_id from staff_users where email = $2)`,
    [id, staffOf('admin').email],
  );
  return id;
}

/**
 * Inserts a booking at Acuity for Robin, who is not a patient here.
 * @returns Robin's last name
 */
export async function createUnmatchedBooking(): Promise<string> {
  const lastName = randomSuffix().slice(-8);
  await inServedDatabase(
    `insert into unmatched_appointments (id, tenant_id, account_id, provider_appointment_id, appointment_type_id,
       appointment_type, calendar_id, calendar, start_at, end_at, time_zone, status, first_name, last_name,
       created_at, updated_at)
     select gen_random_uuid(), tenant_id, account_id, 900000000 + (random() * 90000000)::int, 1, 'Visit', 1,
       'Rowan Example', now() - interval '2 hours', now() - interval '1 hour', 'UTC', 'scheduled', 'Robin', $1, now(), now()
     from integrations where provider = 'acuity' and tenant_id =
       (select tenant_id from staff_users where email = $2)`,
    [lastName, staffOf('admin').email],
  );
  return lastName;
}
