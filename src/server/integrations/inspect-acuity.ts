import type { Finding } from '#contract/integrations.ts';
import { CARE_ROLES } from '#contract/roles.ts';
import { DAY, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import type { Tx } from '#server/core/db.ts';
import { messageForPeople } from '#server/core/errors.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import type { AcuityMe, AcuityWebhook } from '#server/providers/acuity-shapes.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { acuityFindings, acuityLinks, isBookable, type LinkTo } from './acuity-findings.ts';
import { type Check, type Details, saveCheck } from './integration.ts';
import type { AcuityAccount } from './scheduling-account.ts';

/**
 * Inspects the connected account. One that cannot be reached or rejects the credentials is `degraded`, never
 * disconnected.
 */
export async function inspectAcuity(ctx: Context, account: AcuityAccount): Promise<Check> {
  const { provider: acuity, accountId } = account;
  const checkedAt = ctx.clock.now();
  try {
    const { status, details, findings } = await inspectAcuitySettings(ctx, acuity);
    const formerFindings = await formerAccountFindings(ctx, accountId);
    return { accountId, checkedAt, status, details, findings: [...findings, ...formerFindings] };
  } catch (error) {
    if (!(error instanceof SchedulingError)) throw error;
    const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
    const findings = [errorFinding(ctx, error, accountId)];
    return { accountId, checkedAt, status: 'degraded', details: row?.settings as Details, findings, isUnread: true };
  }
}

/** The finding for an error of Acuity: 401 is a wrong key, 403 a plan without the API. */
function errorFinding({ config }: Pick<Context, 'config'>, error: SchedulingError, accountId: string): Finding {
  const object = { type: 'Account' as const, id: accountId, name: accountId };
  const link = acuityLinks(config, accountId)('account');
  if (error.code !== 'integration_misconfigured') {
    const [fault] = error.faults;
    if (!fault) throw error;
    return { code: fault.code, message: messageForPeople(fault), object };
  }
  if (lacksApi(error))
    return {
      code: 'plan_without_api',
      message: 'The plan of this Acuity account does not include the API: nothing can be read or booked.',
      object,
      fix: 'In Acuity, take a plan with API access (and one that is fit for health data), then check again.',
      link,
    };
  return {
    code: 'credentials_refused',
    message: 'Acuity rejects the User ID and API key that are stored here: nothing can be read or booked.',
    object,
    fix: 'Copy both from Acuity, under Integrations, API, and enter them here under "Change the connection".',
    link,
  };
}

export const lacksApi = ({ providerCode }: SchedulingError): boolean =>
  providerCode === 'forbidden' || providerCode === 'status_403';

/**
 * Notes when webhooks have stopped: a repair was needed longer ago than the bound, and no webhook has arrived since.
 * Emits `integration.degraded`, and `integration.recovered` when one arrives again.
 */
export async function recordAcuitySilence(ctx: Context, account: AcuityAccount): Promise<void> {
  const { tenantId, db, clock, config } = ctx;
  const { accountId } = account;
  const since = await silentSince(ctx, accountId);
  const where = { tenantId, accountId };
  const before = await db.schedulingReconcile.findFirst({ where });
  const isLong = since !== null && clock.now().getTime() - since.getTime() >= config.scheduling.reconcileMs;
  if (isLong === (before?.silentSince != null)) return;
  await db.schedulingReconcile.updateMany({ where, data: { silentSince: isLong ? since : null } });
  await saveCheck(ctx, 'acuity', await inspectAcuity(ctx, account));
}

/** The time of the first repair after the last webhook and after its registration, or null. */
async function silentSince({ db, tenantId }: Context, accountId: string): Promise<Date | null> {
  const [row] = await db.$queryRaw<{ since: Date | null }[]>`
    select min(created_at) as since from scheduling_repairs
    where tenant_id = ${tenantId}::uuid and account_id = ${accountId} and what <> 'webhook'
      and created_at > greatest(
        (select max(received_at) from inbound_events
          where tenant_id = ${tenantId}::uuid and provider = 'acuity' and account_id = ${accountId}),
        (select (settings->>'webhook_since')::timestamptz from integrations
          where tenant_id = ${tenantId}::uuid and provider = 'acuity'))`;
  return row?.since ?? null;
}

/** How long a webhook may take. */
const WAIT_MS = { production: 5 * MINUTE, sandbox: 30 * SECOND };
/** Inbound events are stored for longer than this. */
const LOOKBACK_MS = 7 * DAY;

/**
 * Reports that webhooks have stopped: a repair was needed, or the last appointment booked from here had no webhook in
 * time. `since` is when the current webhook was registered.
 */
async function acuitySilence(
  ctx: Context,
  { accountId, since }: { accountId: string; since: Date },
  linkTo: LinkTo,
): Promise<Finding[]> {
  const { tenantId, db } = ctx;
  const isNoted =
    (await db.schedulingReconcile.count({ where: { tenantId, accountId, silentSince: { gt: since } } })) > 0;
  if (!isNoted && !(await hasBookingWithoutWebhook(ctx, since))) return [];
  return [
    {
      code: 'webhooks_silent',
      message:
        'Acuity does not report changes at the moment: its webhooks do not arrive. Changes are found by checking, and show late.',
      object: { type: 'Webhook', id: null, name: 'appointment.changed' },
      fix: 'Make sure that this service can be reached from the internet under its public address; the webhook itself is registered again when it is missing.',
      link: linkTo('webhooks'),
    },
  ];
}

async function hasBookingWithoutWebhook({ tenantId, db, clock, config }: Context, since: Date): Promise<boolean> {
  const now = clock.now().getTime();
  const from = new Date(Math.max(since.getTime(), now - LOOKBACK_MS));
  const last = await db.appointment.findFirst({
    where: {
      tenantId,
      asked: { not: null },
      providerAppointmentId: { not: null },
      createdAt: { gt: from, lte: new Date(now - WAIT_MS[config.environment]) },
    },
    orderBy: { createdAt: 'desc' },
    select: { createdAt: true },
  });
  if (!last) return false;
  const where = { tenantId, provider: 'acuity', receivedAt: { gte: last.createdAt } };
  return (await db.inboundEvent.findFirst({ where, select: { id: true } })) === null;
}

/** Findings with which bookings fail, data is shown to clients, or changes are not reported. */
const DEGRADING = new Set([
  'location_form_not_internal',
  'location_question_missing',
  'location_question_misnamed',
  'location_question_wrong_type',
  'webhook_not_registered',
  'webhooks_silent',
]);

export type AcuityInspection = {
  me: AcuityMe;
  status: 'connected' | 'degraded';
  details: Details;
  findings: Finding[];
};

/** Reads an account's settings and registers the webhook. A webhook that Acuity rejects is a finding. */
export async function inspectAcuitySettings(ctx: Context, acuity: Acuity): Promise<AcuityInspection> {
  const me = await acuity.me();
  const linkTo = acuityLinks(ctx.config, String(me.id));
  const [types, calendars, forms] = await Promise.all([acuity.types(), acuity.calendars(), acuity.forms()]);
  const signIns = await signInsOf(ctx);
  const findings = acuityFindings({ types, calendars, forms, signIns }, linkTo);
  const webhook = await ensureWebhook(ctx, acuity, me);
  if ('rejection' in webhook)
    findings.push({
      code: 'webhook_not_registered',
      message: ['Changes made in Acuity itself show late, because it does not accept our webhook.', webhook.rejection]
        .filter(Boolean)
        .join(' '),
      object: { type: 'Webhook', id: null, name: 'appointment.changed' },
      fix: 'Acuity keeps 25 webhooks at most, and calls addresses on port 443 alone: remove an unused one, and make sure that this service’s public address begins with https.',
      link: linkTo('webhooks'),
    });
  else
    findings.push(...(await acuitySilence(ctx, { accountId: String(me.id), since: new Date(webhook.since) }, linkTo)));
  const calendarIds = calendars.map(({ id }) => id);
  findings.push(...(await missingCalendarFindings(ctx, { accountId: String(me.id), calendarIds })));
  findings.push({
    code: 'provider_mails_unknown',
    message:
      'Acuity sends patients emails and texts of its own, with the kind of appointment and its time in them, unless they are turned off there. It cannot be seen from here whether they are.',
    fix: 'Look in Acuity, under Client E-mails and Client Text Messages, at what patients are sent.',
    link: linkTo('account'),
    advice: true,
  });
  const registered = 'rejection' in webhook ? webhook.registered : webhook;
  const isDegraded = !isBookable({ types, calendars, forms }) || findings.some(({ code }) => DEGRADING.has(code));
  return {
    me,
    status: isDegraded ? 'degraded' : 'connected',
    details: {
      name: me.name ?? null,
      time_zone: me.timezone,
      webhook_id: registered?.id ?? null,
      webhook_since: registered?.since ?? null,
    },
    findings,
  };
}

type Registered = { id: number; since: string };
/** `registered` is the known webhook while Acuity cannot say if it still exists. */
type Webhook = Registered | { rejection: string | null; registered: Registered | null };

/** Registers the webhook; `since` is when its current id was first seen. */
async function ensureWebhook(ctx: Context, acuity: Acuity, me: AcuityMe): Promise<Webhook> {
  const row = await ctx.db.integration.findFirst({ where: { tenantId: ctx.tenantId, provider: 'acuity' } });
  const { webhook_id, webhook_since } = row?.accountId === String(me.id) ? (row.settings as Details) : {};
  const before = webhook_id && webhook_since ? { id: Number(webhook_id), since: String(webhook_since) } : null;
  try {
    const id = await registerAcuityWebhook(ctx, acuity);
    return before?.id === id ? before : { id, since: ctx.clock.now().toISOString() };
  } catch (error) {
    const fault = error instanceof SchedulingError ? error.faults[0] : undefined;
    if (!(error instanceof SchedulingError) || !fault) throw error;
    // A rejection has a fix of its own; retrying does not help.
    const isRejected = error.reason !== null;
    return { rejection: isRejected ? null : messageForPeople(fault), registered: isRejected ? null : before };
  }
}

/** The sign-in addresses by which calendars are matched to practitioners. */
async function signInsOf({ db, tenantId }: Context): Promise<Set<string>> {
  const staff = await db.staffUser.findMany({
    where: { tenantId, disabledAt: null, role: { in: [...CARE_ROLES] } },
    select: { email: true },
  });
  return new Set(staff.map(({ email }) => email.toLowerCase()));
}

const upcomingPhrase = (count: number): string =>
  count === 1 ? 'One appointment to come is' : `${count} appointments to come are`;

/**
 * Future appointments on calendars that the connected account no longer has: they cannot be rescheduled, and may lack a
 * practitioner.
 */
async function missingCalendarFindings(
  { db, tenantId, clock }: Pick<Context, 'db' | 'tenantId' | 'clock'>,
  { accountId, calendarIds }: { accountId: string; calendarIds: number[] },
): Promise<Finding[]> {
  // When there is no calendar at all, that is the finding.
  if (calendarIds.length === 0) return [];
  const of = { tenantId, accountId, status: 'scheduled', startAt: { gt: clock.now() } };
  const missing = await db.appointment.groupBy({
    by: ['calendarId'],
    where: { ...of, calendarId: { notIn: calendarIds } },
    _count: true,
    _max: { calendar: true },
    orderBy: { calendarId: 'asc' },
  });
  return missing.map(({ calendarId, _count, _max }) => {
    const name = _max.calendar ?? String(calendarId);
    return {
      code: 'visits_without_calendar',
      message: `${upcomingPhrase(_count)} on a calendar that Acuity has no more (${name}), and cannot be moved here.`,
      object: { type: 'Calendar', id: String(calendarId), name },
      fix: 'Cancel each under Appointments, and book it again with another practitioner.',
      link: { label: 'Open Appointments', url: `/appointments?with=${calendarId}` },
    };
  });
}

/** Future appointments in accounts that are not connected any more. */
export async function formerAccountFindings(
  { db, tenantId, clock }: { db: Pick<Tx, 'appointment'>; tenantId: string; clock: Context['clock'] },
  accountId: string,
): Promise<Finding[]> {
  const former = await db.appointment.groupBy({
    by: ['accountId'],
    where: {
      tenantId,
      status: 'scheduled',
      startAt: { gt: clock.now() },
      AND: [{ accountId: { not: null } }, { accountId: { not: accountId } }],
    },
    _count: true,
    orderBy: { accountId: 'asc' },
  });
  return former.map(({ accountId: id, _count }) => ({
    code: 'former_account',
    message: `${upcomingPhrase(_count)} in an Acuity account that is not connected any more. What happens to them there is not seen here.`,
    object: { type: 'Account', id, name: String(id) },
    fix: 'Cancel them here, in the former account too, and book them again.',
    link: { label: 'Open Appointments', url: '/appointments?issue=former_account' },
  }));
}

/** Sent for every kind of change of an appointment, so one subscription is enough. */
const EVENT = 'appointment.changed';
const pathOf = (tenantId: string): string => `/api/webhooks/acuity/${tenantId}`;

/**
 * Ensures exactly one active webhook of this tenant at Acuity, with the current public address; webhooks of others
 * stay. Idempotent. Registers it again when Acuity has disabled it, which it does after days of failures.
 */
export async function registerAcuityWebhook(
  { config, tenantId }: Pick<Context, 'config' | 'tenantId'>,
  acuity: Acuity,
): Promise<number> {
  const path = pathOf(tenantId);
  const target = config.publicUrl + path;
  const own = (await acuity.webhooks()).filter((webhook) => webhook.target.endsWith(path));
  const valid = own.find((webhook) => webhook.target === target && webhook.event === EVENT && isActive(webhook));
  for (const webhook of own) if (webhook !== valid) await removeAcuityWebhook(acuity, webhook.id);
  return valid?.id ?? (await acuity.addWebhook(EVENT, target)).id;
}

const isActive = ({ status }: AcuityWebhook): boolean => (status ?? 'active') === 'active';

/** Ignores a webhook that is gone already, for example removed by a concurrent check. */
async function removeAcuityWebhook(acuity: Acuity, id: number): Promise<void> {
  try {
    await acuity.removeWebhook(id);
  } catch (error) {
    if (!(error instanceof SchedulingError) || error.reason !== 'not_found') throw error;
  }
}

/** Removes our webhook from an account that is not connected any more; a failure is only logged. */
export async function removeTenantWebhooks(ctx: Context, acuity: Acuity): Promise<void> {
  try {
    const path = pathOf(ctx.tenantId);
    for (const webhook of await acuity.webhooks())
      if (webhook.target.endsWith(path)) await removeAcuityWebhook(acuity, webhook.id);
  } catch (error) {
    ctx.log.warn({ err: (error as Error).message }, 'the former Acuity account still has our webhook');
  }
}
