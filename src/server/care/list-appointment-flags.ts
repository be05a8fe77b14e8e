import type { AppointmentFlagsInput, AppointmentFlagsView } from '#contract/appointment-flags.ts';
import { UNPAID_STATUSES } from '#contract/subscription-status.ts';
import { isStaff, requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';

/** Lists what staff should know of the patients of these appointments, in one query. Staff users only. */
export async function listAppointmentFlags(
  ctx: Context,
  { ids }: AppointmentFlagsInput,
): Promise<AppointmentFlagsView[]> {
  requireStaff(ctx.actor, 'appointments:read');
  const seesPayments = isStaff(ctx.actor) && ctx.actor.permissions.has('subscriptions:read');
  return ctx.db.$queryRaw<AppointmentFlagsView[]>`
    select appointment.id::text as appointment_id, appointment.patient_id::text,
      not exists (
        select from appointments as earlier
        where earlier.tenant_id = appointment.tenant_id and earlier.patient_id = appointment.patient_id
          and earlier.start_at < appointment.start_at and earlier.status = 'scheduled') as is_first,
      case when ${seesPayments}::boolean then exists (
        select from subscriptions as subscription
        where subscription.tenant_id = appointment.tenant_id and subscription.patient_id = appointment.patient_id
          and subscription.status = any(${UNPAID_STATUSES}::text[])) end as is_unpaid
    from appointments as appointment
    where appointment.tenant_id = ${ctx.tenantId}::uuid and appointment.id = any(${ids}::uuid[])
      and appointment.status in ('scheduled', 'canceled', 'no_show')`;
}
