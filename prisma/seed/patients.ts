import type { AvailabilityView } from '#contract/availability.ts';
import type { SubscriptionView } from '#contract/subscriptions.ts';
import { pay } from '#launcher/run-demo.ts';
import { type Context, contextFor } from '#server/core/context.ts';
import { createPatient } from '#server/patients/index.ts';
import { listPlans } from '#server/plans/index.ts';
import { refreshSubscription } from '#server/reconcile/index.ts';
import { bookAppointment, listAppointmentTypes, listAvailability } from '#server/scheduling/index.ts';
import { createSubscription } from '#server/subscriptions/index.ts';
import { PATIENTS } from './clinic.ts';

const APPOINTMENTS = 5;

/** Creates a few patients: one who has paid, one on trial, one before the first payment; appointments from today on. */
export async function createPatients(ctx: Context): Promise<void> {
  const ids: string[] = [];
  for (const [index, values] of PATIENTS.entries()) {
    const patient = await createPatient(ctx, {
      ...values,
      email: `${values.first_name}.${values.last_name}@patients.example.test`.toLowerCase(),
      phone_number: `+1202555${String(110 + index).padStart(4, '0')}`,
      external_id: `R-${1001 + index}`,
      time_zone: 'America/New_York',
    });
    ids.push(patient.id);
  }
  await subscribe(ctx, ids);
  await book(ctx, ids);
}

async function subscribe(ctx: Context, [payer, onTrial, unpaid]: string[]): Promise<void> {
  const { items: plans } = await listPlans(ctx, {});
  const [paid, trial] = [plans.find((p) => !p.trial_period_in_days), plans.find((p) => p.trial_period_in_days)];
  if (!paid || !trial || !payer || !onTrial || !unpaid) return;
  // Only the patient gets the client secret that a payment needs.
  const asPayer = contextFor(ctx, {
    kind: 'patient',
    tenantId: ctx.tenantId,
    patientId: payer,
    clientId: payer,
    impersonatedBy: null,
  });
  const subscription: SubscriptionView = await createSubscription(asPayer, { patient_id: payer, price_ids: [paid.id] });
  if (ctx.config.stripe.apiUrl.startsWith('http://')) {
    await pay({ stripeUrl: ctx.config.stripe.apiUrl }, subscription);
    await refreshSubscription(ctx, { tenantId: ctx.tenantId, subscriptionId: subscription.id });
  }
  await createSubscription(ctx, { patient_id: onTrial, price_ids: [trial.id] });
  await createSubscription(ctx, { patient_id: unpaid, price_ids: [paid.id] });
}

async function book(ctx: Context, ids: string[]): Promise<void> {
  const { items: types } = await listAppointmentTypes(ctx, {});
  const type = types[0];
  if (!type) return;
  const from_date = ctx.clock.now().toISOString().slice(0, 10);
  const { items: slots } = await listAvailability(ctx, { appointment_type_id: type.id, from_date, partial: true });
  // The first slot of each day and calendar, so that appointments are both parallel and consecutive.
  const chosen = new Map<string, AvailabilityView>();
  for (const slot of slots) {
    const key = `${slot.calendar_id} ${slot.from_date.slice(0, 10)}`;
    if (!chosen.has(key)) chosen.set(key, slot);
  }
  for (const [index, slot] of [...chosen.values()].slice(0, APPOINTMENTS).entries())
    await bookAppointment(ctx, {
      patient_id: ids[index % ids.length]!,
      appointment_type_id: type.id,
      calendar_id: slot.calendar_id,
      from_date: slot.from_date,
    });
}
