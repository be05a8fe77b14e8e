import type { Finding } from '#contract/integrations.ts';
import { DAY, MINUTE, SECOND } from '#server/core/clock.ts';
import type { Context } from '#server/core/context.ts';
import { messageForPeople } from '#server/core/errors.ts';
import type { Acuity } from '#server/providers/acuity.ts';
import type { AcuityMe } from '#server/providers/acuity-shapes.ts';
import { SchedulingError } from '#server/providers/scheduling-provider.ts';
import { acuityFindings, acuityLinks, isBookable, type LinkTo } from './acuity-findings.ts';
import { registerAcuityWebhook } from './acuity-webhook.ts';
import { missingCalendarFindings } from './appointment-findings.ts';
import type { Details } from './present-integration.ts';

/** How long a webhook may take. */
const WAIT_MS = { production: 5 * MINUTE, sandbox: 30 * SECOND };
/** Inbound events are stored for longer than this. */
const LOOKED_BACK_MS = 7 * DAY;

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
        'Acuity does not tell this service of changes at the moment: its webhooks do not arrive. Changes are looked for and seen late.',
      object: { type: 'Webhook', id: null, name: 'appointment.changed' },
      fix: 'See that this service can be reached from the internet under its public address; the webhook itself is registered again when it is missing.',
      link: linkTo('webhooks'),
    },
  ];
}

async function hasBookingWithoutWebhook({ tenantId, db, clock, config }: Context, since: Date): Promise<boolean> {
  const now = clock.now().getTime();
  const from = new Date(Math.max(since.getTime(), now - LOOKED_BACK_MS));
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
const HINDERING = new Set([
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
  if ('refusal' in webhook)
    findings.push({
      code: 'webhook_not_registered',
      message: ['Changes made in Acuity itself will be seen late, for it does not take our webhook.', webhook.refusal]
        .filter(Boolean)
        .join(' '),
      object: { type: 'Webhook', id: null, name: 'appointment.changed' },
      fix: 'Acuity keeps 25 webhooks at most, and calls addresses on port 443 alone: remove an unused one, and see that this service’s public address begins with https.',
      link: linkTo('webhooks'),
    });
  else
    findings.push(...(await acuitySilence(ctx, { accountId: String(me.id), since: new Date(webhook.since) }, linkTo)));
  const calendarIds = calendars.map(({ id }) => id);
  findings.push(...(await missingCalendarFindings(ctx, { accountId: String(me.id), calendarIds })));
  findings.push({
    code: 'provider_mails_unknown',
    message:
      'Acuity sends patients emails and texts of its own, with the kind of visit and its time in them, unless they are turned off there. Whether they are cannot be seen from here.',
    fix: 'Look in Acuity, under Client E-mails and Client Text Messages, at what patients are sent.',
    link: linkTo('account'),
    advice: true,
  });
  const registered = 'refusal' in webhook ? webhook.known : webhook;
  const isHindered = !isBookable({ types, calendars, forms }) || findings.some(({ code }) => HINDERING.has(code));
  return {
    me,
    status: isHindered ? 'degraded' : 'connected',
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
/** `known` is the registered webhook while Acuity cannot say if it still exists. */
type Webhook = Registered | { refusal: string | null; known: Registered | null };

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
    return { refusal: isRejected ? null : messageForPeople(fault), known: isRejected ? null : before };
  }
}

/** The sign-in addresses by which calendars are matched to practitioners. */
async function signInsOf({ db, tenantId }: Context): Promise<Set<string>> {
  const staff = await db.staffUser.findMany({ where: { tenantId, disabledAt: null }, select: { email: true } });
  return new Set(staff.map(({ email }) => email.toLowerCase()));
}
