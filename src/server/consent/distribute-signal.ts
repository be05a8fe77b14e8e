import { type Services, systemContext } from '#server/core/context.ts';
import { newId } from '#server/core/ids.ts';
import type { Jobs } from '#server/core/jobs.ts';
import { record } from '#server/core/record.ts';
import { writeChoice } from './choices.ts';
import { openSignalJob, type State, signalText } from './signals.ts';

const SIGNAL_SOURCES = { stop: 'twilio_webhook', start: 'twilio_webhook' } as Record<string, string>;

/**
 * Records an address's signal at each clinic for each patient with the address: once in their history and in the audit
 * log. An error at one clinic does not stop the others; the job runs again for it.
 */
export async function distributeSignal(services: Services, { sealed }: Jobs['tell_of_signal']): Promise<void> {
  const { database, log } = services;
  const { id, address } = openSignalJob(services, sealed);
  const signal = await database.system.addressSignal.findUnique({ where: { id } });
  if (!signal) return;
  let failed = 0;
  for (const tenantId of await database.tenantsOf('tenants')) {
    const ctx = systemContext(services, tenantId, SIGNAL_SOURCES[signal.because] ?? 'messages');
    const addressFilter =
      signal.channel === 'email'
        ? { email: address.toLowerCase() }
        : { OR: [{ phones: { some: { tenantId, number: address } } }, { signIn: { phoneNumber: address } }] };
    try {
      const patients = await ctx.db.patient.findMany({ where: { tenantId, ...addressFilter }, select: { id: true } });
      for (const { id: patientId } of patients)
        await ctx.db.$transaction(async (tx) => {
          const isNew = await writeChoice(tx, ctx, {
            ...{ id: newId(signal.at), patientId, channel: signal.channel, at: signal.at, signalId: id },
            ...{ state: signal.state as State, because: signal.because, sender: signal.sender || null },
            ...{ address, words: signalText(services, signal), madeBy: null },
          });
          if (!isNew) return;
          const { channel, state, because } = signal;
          await record(tx, ctx, {
            action: state === 'stopped' ? 'message_choices.stop' : 'message_choices.allow',
            object: { type: 'Patient', id: patientId },
            patientId,
            details: { channel, because },
          });
        });
    } catch (error) {
      failed += 1;
      log.error({ tenantId, err: (error as Error).message }, 'the signal of an address was not recorded at a clinic');
    }
  }
  if (failed > 0) throw new Error(`the signal of an address was not recorded at ${failed} clinics`);
}
