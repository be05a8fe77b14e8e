import { DAY, MINUTE } from '#server/core/clock.ts';
import { newId } from '#server/core/ids.ts';
import type { Sandbox } from './clinic.ts';
import { insertMessage, insertPractitioner, insertUnknown } from './samples/rows.ts';
import { type FreeSlot, type Offer, type Target, takeSlot } from './samples/sample.ts';
import { billedTo, insertPayment, saveCard } from './stripe-objects.ts';
import { insertUnmatched } from './unmatched-booking.ts';
import { insertWebhookTarget, makeWebhookTarget, noWebhook } from './webhook-target.ts';

/** The long form uses slots of ten weeks, the short one of three. */
const WEEKS = process.env.PROVE ? 10 : 3;

/** Reads prices and appointment types from the API, with slots of one calendar that do not overlap. */
export async function readOffer({ rest, url }: Sandbox, token: string): Promise<Offer> {
  const read = async (path: string) => (await rest.call({ method: 'GET', path, token })).body;
  const plans: { id: string; trial_period_in_days: number | null }[] = await read('/subscription_plans');
  const types: { id: number; duration_minutes: number; calendar_ids: number[] }[] = await read('/appointment_types');
  const type = types.reduce((shortest, one) => (one.duration_minutes < shortest.duration_minutes ? one : shortest));
  const free: FreeSlot[] = [];
  for (let week = 0; week < WEEKS; week += 1) {
    const from = new Date(Date.now() + (2 + 7 * week) * DAY).toISOString().slice(0, 10);
    const query = `appointment_type_id=${type.id}&from_date=${from}&calendar_id=${type.calendar_ids[0]}`;
    free.push(...(await read(`/availability?${query}`)));
  }
  let last = 0;
  const times = free.filter(({ from_date }) => {
    const isApart = Date.parse(from_date) - last >= type.duration_minutes * MINUTE;
    if (isApart) last = Date.parse(from_date);
    return isApart;
  });
  return {
    priceId: plans[0]!.id,
    page: `${url}/welcome`,
    trialPriceId: plans.find((plan) => plan.trial_period_in_days)!.id,
    typeId: type.id,
    times: times.map(({ from_date, calendar_id }) => ({ from_date, calendar_id })),
  };
}

/**
 * Creates a patient with a subscription, a card, an appointment and, by default, a webhook endpoint through the API.
 */
export async function makeTarget(
  clinic: Sandbox,
  token: string,
  offer: Offer,
  { withWebhook = true, priceId = offer.priceId } = {},
): Promise<Target> {
  const { rest } = clinic;
  const make = async (path: string, body: object): Promise<string> => {
    const response = await rest.call({ method: 'POST', path, token, body });
    if (response.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
    return response.body.id;
  };
  await insertUnknown(clinic.ctx);
  const patientId = await make('/patients', { first_name: 'Ada', email: `${newId()}@example.test` });
  // The patient's first event, once it is numbered.
  const feed = await rest.call({ method: 'GET', path: `/events?patient_id=${patientId}&wait=10&size=1`, token });
  const booking = { patient_id: patientId, appointment_type_id: offer.typeId, ...takeSlot(offer) };
  const subscriptionId = await make('/subscriptions', { patient_id: patientId, price_ids: [priceId] });
  const appointmentId = await make('/appointments', booking);
  return {
    patientId,
    subscriptionId,
    cardId: await saveCard(clinic, patientId),
    practitionerId: await insertPractitioner(clinic.ctx),
    paymentId: await billedTo(clinic, subscriptionId),
    eventId: feed.body[0].id,
    taskId: await make('/tasks', { title: 'Follow up', patient_id: patientId }),
    ...(withWebhook ? await makeWebhookTarget(rest, token, patientId) : noWebhook()),
    appointmentId,
    messageId: await insertMessage(clinic.ctx, appointmentId),
    unmatchedId: await insertUnmatched(clinic.ctx, { status: 'canceled' }),
  };
}

/** Inserts the same directly, for the tenant without providers. */
export async function insertTarget({ otherCtx: otherTenant }: Sandbox, { withWebhook = true } = {}): Promise<Target> {
  const { db, tenantId } = otherTenant;
  const owner = { tenantId, patientId: newId() };
  const subscriptionId = `sub_${newId().replaceAll('-', '')}`;
  const appointmentId = newId();
  await db.patient.create({
    data: { id: owner.patientId, tenantId, firstName: 'Foreign', email: `${owner.patientId}@example.test` },
  });
  await db.subscription.create({
    data: { id: subscriptionId, ...owner, accountId: 'acct_1', status: 'active', currency: 'usd' },
  });
  const paymentId = await insertPayment(otherTenant, { subscriptionId, patientId: owner.patientId });
  const startAt = new Date(Date.now() + DAY);
  await db.appointment.create({
    data: {
      id: appointmentId,
      ...owner,
      appointmentTypeId: 1,
      appointmentType: 'Visit',
      calendarId: 1,
      calendar: 'Rowan Example',
      startAt,
      endAt: new Date(startAt.getTime() + 30 * MINUTE),
      timeZone: 'America/New_York',
      videoToken: newId(),
      status: 'scheduled',
    },
  });
  const taskId = newId();
  const by = { createdByType: 'System', createdBy: 'test', createdAt: startAt, updatedAt: startAt };
  await db.task.create({ data: { id: taskId, ...owner, title: 'Follow up', dueDate: startAt, ...by } });
  const eventId = newId();
  await db.event.create({
    data: {
      id: eventId,
      tenantId,
      eventType: 'appointment',
      eventTopic: 'scheduled',
      objectId: appointmentId,
      patientId: owner.patientId,
      authorType: 'System',
      authorId: 'test',
      payload: { id: appointmentId },
    },
  });
  await db.$queryRaw`select carelane_number_events(1000)`;
  await insertUnknown(otherTenant);
  const webhook = withWebhook ? await insertWebhookTarget(otherTenant) : noWebhook();
  return {
    patientId: owner.patientId,
    subscriptionId,
    paymentId,
    cardId: 'pm_elsewhere',
    practitionerId: await insertPractitioner(otherTenant),
    appointmentId,
    messageId: await insertMessage(otherTenant, appointmentId),
    unmatchedId: await insertUnmatched(otherTenant, { status: 'canceled' }),
    eventId,
    taskId,
    ...webhook,
  };
}
