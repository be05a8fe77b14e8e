import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { lexer, type Tokens } from 'marked';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPlans } from '#server/plans/router.ts';
import { readFence } from '#web/docs/markdown/read-markdown.ts';
import { root } from '../../launcher/root.mjs';
import { asAdmin } from './actors.ts';
import { type Clinic, withClinic } from './clinic.ts';
import { STRIPE_SECRET_KEY } from './services.ts';

const hasTools = ['curl', 'jq', 'bash'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const RUN: Record<string, string> = { '.sh': 'bash', '.mjs': process.execPath };

let billing: Clinic<'stripe'>;
let folder: string;
beforeAll(async () => {
  billing = await withClinic({ stripe: true });
  folder = mkdtempSync(path.join(tmpdir(), 'carelane-plan-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
});
afterAll(async () => {
  await billing?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

/** Returns a file that a docs page contains in full. */
function guideFile(slug: string, file: string): string {
  const text = readFileSync(path.join(root, 'src/docs/api/pages', `${slug}.md`), 'utf8');
  const block = lexer(text).find((token) => token.type === 'code' && readFence(token as Tokens.Code).file === file);
  if (!block) throw new Error(`${slug} has no ${file}`);
  return `${(block as Tokens.Code).text}\n`;
}

/** Runs a guide's code as a reader who copied it does. */
async function run(file: string): Promise<string[]> {
  const program = path.join(folder, file);
  writeFileSync(program, guideFile('plans-and-time', file));
  const env = {
    PATH: process.env.PATH,
    STRIPE_ACCOUNT: billing.stripe.accountId,
    STRIPE_SECRET_KEY,
    STRIPE_URL: billing.stripe.emulator.url,
  };
  const { stdout } = await promisify(execFile)(RUN[path.extname(file)]!, [program], {
    cwd: folder,
    env: env as unknown as NodeJS.ProcessEnv,
  });
  return stdout.trim().split('\n');
}

test.skipIf(!hasTools)('the guide’s curl lines create a plan with a trial, and a promotion code', async () => {
  const [price, code] = await run('plan.sh');
  const { items } = await listPlans(asAdmin(billing.services, billing.tenant), {});
  expect(items.find(({ id }) => id === price)).toMatchObject({ name: 'Weekly coaching' });
  const { data } = await billing.stripe.api.promotionCodes.list(
    { code: code! },
    { stripeAccount: billing.stripe.accountId },
  );
  expect(data).toMatchObject([{ active: true, code: 'WELCOME25' }]);
});

test('the guide’s program does the same with the stripe package', async () => {
  const [price, code] = await run('plan.mjs');
  const created = await billing.stripe.api.prices.retrieve(price!, {}, { stripeAccount: billing.stripe.accountId });
  expect(created).toMatchObject({ active: true, metadata: { trial_period_in_days: '14' }, unit_amount: 2900 });
  expect(code).toBe('FIVEOFF');
});

test.skipIf(!hasTools)('the guide’s lines move Stripe’s clock and set a fault', async () => {
  const [now, kind] = await run('time.sh');
  expect(Date.parse(now!) - Date.now()).toBeGreaterThan(86_000_000);
  expect(kind).toBe('timeout_after');
  expect(await billing.stripe.control('faults')).toEqual([]);
});
