import { ZodError, z } from 'zod';
import type {
  ChangeManagedInput,
  PreviewManagedInput,
  RedeemCodeInput,
  UseCardInput,
} from '#contract/managed-subscription.ts';
import type { ChangeChoiceInput } from '#contract/message-choices.ts';
import { ReopenSignInInput } from '#contract/patient-sign-in.ts';
import { RequestStaffResetInput, type UseStaffLinkInput } from '#contract/team.ts';
import type { ReportTestInput, TryLineInput } from '#contract/visit-test.ts';
import type { EnterVisitInput } from '#contract/visits.ts';
import { endLockout, requestStaffReset } from '#server/identity/index.ts';
import { type Context, contextFor, type Services } from '../core/context.ts';
import { apiError, CarelaneError, type ErrorCode, type Fault, notFound } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { tenantOfToken } from '../core/ids.ts';
import { sourceOf } from '../core/ip-address.ts';
import { createCaller } from '../router.ts';
import { assertRequestLimit } from './address-limit.ts';
import { causeOf, createHandler } from './create-handler.ts';
import type { Handler } from './handler.ts';
import { parseBody, parseInput, readText, SMALL_BODY_BYTES } from './read-json.ts';
import { openStaffDevice } from './staff-device.ts';

const PREFIX = '/api/links/';

type Caller = ReturnType<typeof createCaller>;
type LinkRequest = { body: unknown; ip: string; userAgent: string | null; requestId: string; cookies: string | null };
type Step = (services: Services, request: LinkRequest) => Promise<unknown>;

const WithToken = z.looseObject({ token: z.string().max(200) });
type WithToken = z.infer<typeof WithToken>;

/**
 * The link's token names its tenant and is the only credential; the procedure validates the rest of the body strictly.
 */
const byToken =
  (run: (caller: Caller, body: WithToken) => Promise<unknown>): Step =>
  async (services, { body, ip, userAgent, requestId }) => {
    const input = parseInput(WithToken, body);
    const tenantId = tenantOfToken(input.token);
    if (!tenantId) throw notFound('link');
    const ctx = contextFor(services, { kind: 'visitor', tenantId }, { requestId, ip, userAgent });
    return run(createCaller(ctx), input).catch((error: unknown) => nameClinic(ctx, error));
  };

/** Instructions for an administrator do not help a patient. */
const NOT_OFFERED = 'Your clinic does not offer this here at the moment. Get in touch with them.';
const TROUBLE = 'This did not work. Try again; if it still fails, get in touch with your clinic.';
function forPatient(fault: Fault): Fault {
  const { code, meta } = fault;
  if (code === 'integration_not_connected' || code === 'integration_misconfigured')
    return { people: NOT_OFFERED, ...fault };
  return code === 'provider_error' && meta?.outcome === undefined ? { ...fault, people: TROUBLE } : fault;
}

/** Codes of links that no longer work. */
const ENDED_LINK_CODES: string[] = ['expired_code', 'not_found'] satisfies ErrorCode[];

/**
 * Adds the clinic's name to the error, so that the visitor knows where to request a new link: the token still names its
 * tenant. A clinic's name is public.
 */
async function nameClinic({ db, tenantId }: Context, error: unknown): Promise<never> {
  const known = carelaneErrorOf(causeOf(error));
  if (!known || !ENDED_LINK_CODES.includes(known.code)) throw error;
  const clinic = await db.tenant.findFirst({ where: { id: tenantId }, select: { name: true } });
  if (!clinic) throw error;
  throw new CarelaneError(known.faults.map((fault) => ({ ...fault, meta: { ...fault.meta, clinic: clinic.name } })));
}

const STEPS: Record<string, Step> = {
  'checkout.open': byToken((caller, body) => caller.checkout.open(body)),
  'checkout.redeemCode': byToken((caller, body) => caller.checkout.redeemCode(body as WithToken & RedeemCodeInput)),
  'manage.open': byToken((caller, body) => caller.manage.open(body)),
  'manage.preview': byToken((caller, body) => caller.manage.preview(body as WithToken & PreviewManagedInput)),
  'manage.change': byToken((caller, body) => caller.manage.change(body as WithToken & ChangeManagedInput)),
  'manage.cancel': byToken((caller, body) => caller.manage.cancel(body)),
  'manage.undo': byToken((caller, body) => caller.manage.undo(body)),
  'manage.startCard': byToken((caller, body) => caller.manage.startCard(body)),
  'manage.useCard': byToken((caller, body) => caller.manage.useCard(body as WithToken & UseCardInput)),
  'clinic.open': byToken((caller, body) => caller.clinic.open(body)),
  'visits.open': byToken((caller, body) => caller.visits.open(body)),
  'visits.openTest': byToken((caller, body) => caller.visits.openTest(body)),
  'visits.tryLine': byToken((caller, body) => caller.visits.tryLine(body as TryLineInput)),
  'visits.reportTest': byToken((caller, body) => caller.visits.reportTest(body as ReportTestInput)),
  'visits.enter': byToken((caller, body) => caller.visits.enter(body as EnterVisitInput)),
  'addressChanges.open': byToken((caller, body) => caller.addressChanges.open(body)),
  'addressChanges.undo': byToken((caller, body) => caller.addressChanges.undo(body)),
  'addressChanges.openAsked': byToken((caller, body) => caller.addressChanges.openAsked(body)),
  'addressChanges.confirmAsked': byToken((caller, body) => caller.addressChanges.confirmAsked(body)),
  'messageChoices.open': byToken((caller, body) => caller.messageChoices.open(body)),
  'messageChoices.change': byToken((caller, body) =>
    caller.messageChoices.change(body as WithToken & ChangeChoiceInput),
  ),
  'invitations.open': byToken((caller, body) => caller.invitations.open(body)),
  'staffLinks.open': byToken((caller, body) => caller.staffLinks.open(body)),
  'staffLinks.use': byToken((caller, body) => caller.staffLinks.use(body as WithToken & UseStaffLinkInput)),
  // Requests a link rather than opens one, so it names no tenant.
  'staffLinks.requestReset': (services, { body, ip, cookies }) =>
    requestStaffReset(services, {
      ...parseInput(RequestStaffResetInput, body),
      source: ip,
      devices: openStaffDevice(services.config, cookies).secrets,
    }),
  'signIn.reopen': (services, { body, ip, requestId }) =>
    endLockout(services, { ...parseInput(ReopenSignInInput, body), ip, requestId }),
};

export const LINKS = Object.keys(STEPS);

/** Handles pages opened from a link in a message, and requests for such links, without a sign-in. */
export function createLinkHandler(services: Services): Handler {
  return createHandler(services, {
    name: 'link',
    forPeople: true,
    toCarelaneError(cause) {
      const known = carelaneErrorOf(cause);
      return known && new CarelaneError(known.faults.map(forPatient), { headers: known.headers });
    },
    async handle(request, { requestId }) {
      const name = request.path.slice(PREFIX.length);
      const step = Object.hasOwn(STEPS, name) ? STEPS[name] : undefined;
      if (request.method !== 'POST' || !step) throw apiError('route_not_found', 'There is no such link.');
      assertRequestLimit(services, { name: 'link_requests', key: [sourceOf(request.ip)] });
      const text = await readText(request, SMALL_BODY_BYTES);
      const body = parseBody(text, request);
      const { ip } = request;
      const userAgent = request.header('user-agent');
      const result = await step(services, { body, ip, userAgent, requestId, cookies: request.header('cookie') });
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      return { status: 200, headers, body: JSON.stringify(result ?? {}) };
    },
  });
}

function carelaneErrorOf(cause: unknown): CarelaneError | null {
  if (cause instanceof ZodError) return new CarelaneError(fieldErrors(cause, new Set()));
  return cause instanceof CarelaneError ? cause : null;
}
