import type { CareBench } from '../care.ts';

/**
 * Returns inconsistencies of these patients once nothing is pending: an unfinished end of care, and live objects of an
 * archived patient, here or at the providers.
 */
export async function findEndedCareViolations(care: CareBench, patientIds: string[]): Promise<string[]> {
  const violations: string[] = [];
  for (const id of patientIds) {
    const patient = await care.db.patient.findFirstOrThrow({ where: { id } });
    if (patient.careEndingAt) violations.push(`${id} is left in between`);
    if (patient.status !== 'archived') continue;
    const appointments = await care.db.appointment.count({
      where: { patientId: id, OR: [{ status: 'pending' }, { status: 'scheduled', startAt: { gt: new Date() } }] },
    });
    if (appointments > 0) violations.push(`${id} is archived with ${appointments} appointments of ours`);
    const subscriptions = await care.db.subscription.count({
      where: { patientId: id, status: { notIn: ['canceled', 'incomplete_expired'] } },
    });
    if (subscriptions > 0) violations.push(`${id} is archived with ${subscriptions} subscriptions of ours`);
    violations.push(...(await care.liveThere(id)).map((what) => `${id} is archived with ${what} at its provider`));
  }
  return violations;
}
