import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '#web/docs/reference/open-api.ts';
import { type Operation, readReference } from '#web/docs/reference/read-reference.ts';
import { tokenSamples } from '#web/docs/samples/code-samples.ts';
import type { Samples } from '#web/docs/samples/languages.ts';
import { withReaderIds } from '#web/docs/samples/reader-ids.ts';
import { shiftPageDates } from '#web/docs/samples/shift-dates.ts';
import { root } from '../../launcher/root.mjs';
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
type ApiErrors = { code: string; source?: object }[];
/** The outcome of a sample: the status and errors of its response, or another failure of the program. */
type Sent = { status: number; errors?: ApiErrors; failure?: string };
type Reader = { clinic: Sandbox; clientId: string; clientSecret: string; token: string };

/** Makes a sandbox of its own. @returns the reference's operations with its ids in the samples */
async function readOwnReference({ clinic, token }: Reader): Promise<Operation[]> {
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
  const ownSamples = (samples: Samples): Samples => ({
    curl: withReaderIds(samples.curl, own),
    typescript: withReaderIds(samples.typescript, own),
    python: withReaderIds(samples.python, own),
  });
  return shown
    .flatMap((page) => (page.kind === 'resource' ? page.group.operations : []))
    .map(({ samples, ...operation }) => ({ ...operation, samples: ownSamples(samples) }))
    .filter(({ scope }) => scope !== null)
    .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method));
}

/** Runs each sample as a reader's shell does. */
async function runCurl(operations: Operation[], { token }: Reader): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const { samples } of operations) {
    const command = samples.curl.replace('curl', `curl -s -w '\\n%{http_code}'`);
    const { stdout, stderr } = await run('sh', ['-euc', command], { env: { ...process.env, TOKEN: token } });
    expect(stderr).toBe('');
    const end = stdout.lastIndexOf('\n');
    sent.push({ status: Number(stdout.slice(end)), errors: JSON.parse(stdout.slice(0, end) || '{}').errors });
  }
  return sent;
}

const MARK = 'sent: ';
const readSent = (stdout: string): Sent[] =>
  stdout.split('\n').flatMap((line) => (line.startsWith(MARK) ? [JSON.parse(line.slice(MARK.length)) as Sent] : []));

/** Runs the samples below the page's first one, in one program. */
async function runTypeScript(operations: Operation[], { clinic, clientId, clientSecret }: Reader): Promise<Sent[]> {
  const { baseUrl, issuer } = clinic.services.config;
  const tokenUrl = `${issuer}/oauth2/token`;
  const report = (value: string) => `console.log('${MARK}' + JSON.stringify(${value}));`;
  const failed = '{ status: error.status ?? 0, errors: error.errors, failure: String(error) }';
  const program = [
    tokenSamples({ baseUrl, tokenUrl, clientId }).typescript,
    ...operations.map(({ samples }) =>
      ['try {', samples.typescript, report('{ status: 200 }'), `} catch (error) { ${report(failed)} }`].join('\n'),
    ),
  ].join('\n');
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    alias: { '@carelane/client': path.join(root, 'src/client/index.ts') },
  });
  const node = run(process.execPath, ['--input-type=module', '-e', outputFiles[0]!.text], {
    env: { ...process.env, CLIENT_SECRET: clientSecret },
    maxBuffer: 2 ** 26,
  });
  return readSent((await node).stdout);
}

const PYTHON = `
import json, sys
import requests
for sample in json.load(sys.stdin):
    try:
        exec(sample, {})
        sent = {"status": 200}
    except requests.HTTPError as error:
        sent = {"status": error.response.status_code, "errors": error.response.json().get("errors")}
    except Exception as error:
        sent = {"status": 0, "failure": repr(error)}
    print("\\n${MARK}" + json.dumps(sent))
`;

async function runPython(operations: Operation[], { token }: Reader): Promise<Sent[]> {
  const python = run('python3', ['-c', PYTHON], { env: { ...process.env, TOKEN: token }, maxBuffer: 2 ** 26 });
  python.child.stdin!.end(JSON.stringify(operations.map(({ samples }) => samples.python)));
  return readSent((await python).stdout);
}

const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;
const RUNNERS = { curl: runCurl, TypeScript: runTypeScript, Python: runPython };
/** `npm run prove` runs all; Python only where the package of the samples is installed. */
const isRun = (language: keyof typeof RUNNERS) =>
  language === 'curl' || (Boolean(process.env.PROVE) && (language === 'TypeScript' || hasRequests));

describe.for(['curl', 'TypeScript', 'Python'] as const)('the %s samples of the reference', (language) => {
  test.runIf(isRun(language))('send valid requests', { timeout: 300_000 }, async () => {
    const clinic = await withClinic(SANDBOX);
    try {
      const application = await clinic.application(clinic.ctx);
      const reader = { clinic, ...application, token: await clinic.token(application) };
      const operations = await readOwnReference(reader);
      expect(operations.length).toBeGreaterThan(60);
      const all = await RUNNERS[language](operations, reader);
      expect(all).toHaveLength(operations.length);
      const faults = operations.flatMap(({ method, path: route }, at) => {
        const name = `${method} ${route}`;
        const { status, errors, failure } = all[at]!;
        const errorCodes = errors?.map(({ code, source }) => [code, ...Object.values(source ?? {})].join(' ')) ?? [];
        const isRight =
          (status >= 200 && status < 300) ||
          [404, 409].includes(status) ||
          (status === 422 && errorCodes.join(', ').startsWith(EXPECTED_ERRORS[name] ?? '-'));
        return isRight ? [] : [`${name}: ${status} ${errorCodes.join(', ') || failure}`];
      });
      expect(faults).toEqual([]);
    } finally {
      await clinic.stop();
    }
  });
});
