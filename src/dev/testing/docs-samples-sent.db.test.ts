import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenApiDocument } from '#web/docs/reference/open-api.ts';
import { type Operation, readReference } from '#web/docs/reference/read-reference.ts';
import { withReaderIds } from '#web/docs/samples/reader-ids.ts';
import { shiftPageDates } from '#web/docs/samples/shift-dates.ts';
import { SANDBOX, type Sandbox, withClinic } from './clinic.ts';
import { makeTarget, readOffer } from './sample-targets.ts';

/**
 * Expected errors: the samples are well formed, but the object's state or an invented value does not allow the request.
 */
const EXPECTED_ERRORS: Record<string, string> = {
  'POST /appointments': 'slot_not_offered',
  // The appointment is canceled by an earlier sample.
  'POST /appointments/{id}/reschedule': 'not_reschedulable',
  'POST /appointments/{id}/no_show': 'too_early',
  'POST /appointments/{id}/check_in': 'already_canceled',
  'POST /appointments/{id}/complete': 'already_canceled',
  // The sandbox has fewer events, and the key is invented.
  'POST /webhook_endpoints/{id}/replay': 'invalid_parameter /after_sequence',
  'POST /integrations/acuity': 'invalid_parameter /api_key',
  'PATCH /integrations/acuity': 'invalid_parameter /api_key',
};
/** Destructive methods come last, because the samples share their objects. */
const ORDER = ['GET', 'PATCH', 'POST', 'DELETE'];

const run = promisify(execFile);
let clinic: Sandbox;
let token: string;
let operations: Operation[];

beforeAll(async () => {
  clinic = await withClinic(SANDBOX);
  token = await clinic.token(await clinic.application(clinic.ctx));
  const offer = await readOffer(clinic, token);
  const target = await makeTarget(clinic, token, offer);
  const [{ id: calendarId }] = (await clinic.rest.call({ method: 'GET', path: '/calendars', token })).body;
  const own = {
    ...target,
    priceId: offer.priceId,
    appointmentTypeId: offer.typeId,
    calendarId,
    webhookEndpointId: target.webhookId,
    webhookDeliveryId: target.deliveryId,
    website: 'http://localhost:5173',
  };
  const document = (await (await fetch(`${clinic.services.config.baseUrl}/openapi.json`)).json()) as OpenApiDocument;
  const shown = readReference(document).map((group) =>
    shiftPageDates(
      { kind: 'resource', path: '', title: '', description: '', heading: 'Reference', group },
      clinic.services.clock.now(),
    ),
  );
  operations = shown
    .flatMap((page) => (page.kind === 'resource' ? page.group.operations : []))
    .map(({ samples, ...operation }) => ({
      ...operation,
      samples: { ...samples, curl: withReaderIds(samples.curl, own) },
    }))
    .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method));
});
afterAll(() => clinic?.stop());

/** Runs the sample as a reader's shell does. */
async function send({ samples }: Operation): Promise<{ status: number; errorCodes: string }> {
  const command = samples.curl.replace('curl', `curl -s -w '\\n%{http_code}'`);
  const { stdout, stderr } = await run('sh', ['-euc', command], { env: { ...process.env, TOKEN: token } });
  expect(stderr).toBe('');
  const end = stdout.lastIndexOf('\n');
  const { errors } = JSON.parse(stdout.slice(0, end) || '{}');
  const errorCodes = errors?.map((error: { code: string; source?: object }) =>
    [error.code, ...Object.values(error.source ?? {})].join(' '),
  );
  return { status: Number(stdout.slice(end)), errorCodes: errorCodes?.join(', ') ?? '' };
}

test('every curl sample of the reference sends a valid request', {
  timeout: 300_000,
}, async () => {
  const open = operations.filter(({ scope }) => scope !== null);
  expect(open.length).toBeGreaterThan(60);
  const faults: string[] = [];
  for (const operation of open) {
    const name = `${operation.method} ${operation.path}`;
    const { status, errorCodes } = await send(operation);
    const isRight =
      status < 300 ||
      [404, 409].includes(status) ||
      (status === 422 && errorCodes.startsWith(EXPECTED_ERRORS[name] ?? '-'));
    if (!isRight) faults.push(`${name}: ${status} ${errorCodes}`);
  }
  expect(faults).toEqual([]);
});
