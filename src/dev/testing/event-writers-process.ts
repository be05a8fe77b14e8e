/**
 * A process of the service whose concurrent writers change patients repeatedly: each change increments the patient's
 * counter and emits an event, unless it is rolled back.
 */
import { readConfig } from '#server/core/config.ts';
import { systemContext } from '#server/core/context.ts';
import { record } from '#server/core/record.ts';
import { createServices } from '#server/services.ts';
import { seededRandom } from './seed.ts';

const { TENANT_ID = '', PATIENT_IDS = '', WRITERS = '4' } = process.env;
const ROLLED_BACK = 0.1;
const patientIds = PATIENT_IDS.split(',');
const random = seededRandom();
const services = createServices(readConfig(process.env));
services.events.start();
const ctx = systemContext(services, TENANT_ID, 'writer');

class Undone extends Error {}

async function change(): Promise<void> {
  const id = patientIds[Math.floor(random() * patientIds.length)]!;
  await ctx.db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ n: number }[]>`
      update patients set metadata = jsonb_build_object('n', coalesce((metadata->>'n')::int, 0) + 1)
      where tenant_id = ${TENANT_ID}::uuid and id = ${id}::uuid returning (metadata->>'n')::int as n`;
    const change = { action: 'patients.update' as const, object: { type: 'Patient', id }, patientId: id };
    await record(tx, ctx, { ...change, event: 'patient.updated', payload: { n: row!.n } });
    if (random() < ROLLED_BACK) throw new Undone();
  });
}

process.stdout.write('writing\n');
// The pipe closes when the parent dies, also after SIGKILL.
process.stdin.resume().once('end', () => process.exit(0));
await Promise.all(
  Array.from({ length: Number(WRITERS) }, async () => {
    for (;;)
      await change().catch((error: Error) => {
        if (!(error instanceof Undone)) process.stderr.write(`${error.message}\n`);
      });
  }),
);
