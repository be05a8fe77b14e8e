import type { AuditActor } from '#contract/audit.ts';
import type { Context } from '#server/core/context.ts';
import { isId } from '#server/core/ids.ts';

export type ActorNames = {
  staff: Map<string, string>;
  applications: Map<string, string>;
  patients: Map<string, string>;
};
type ActorRef = { actorType: string; actorId: string };

type ObjectRef = { objectType?: string; objectId?: string };

/**
 * Returns the current names of the actors and patients in these entries, and of colleagues and applications that they
 * are about. Entries store only ids.
 */
export async function findNames(
  { db, tenantId }: Context,
  rows: (ActorRef & ObjectRef & { onBehalfOf?: string | null; patients?: string[] })[],
): Promise<ActorNames> {
  const idsOfTypes = (...types: string[]) =>
    rows.filter(({ actorType, actorId }) => types.includes(actorType) && isId(actorId)).map(({ actorId }) => actorId);
  const objectsOf = (type: string) =>
    rows.flatMap(({ objectType, objectId }) => (objectType === type && objectId ? [objectId] : []));
  const patientIds = rows.flatMap(({ onBehalfOf, patients = [] }) => [
    ...(onBehalfOf ? [onBehalfOf] : []),
    ...patients,
  ]);
  const idIn = (ids: string[]) => ({ tenantId, id: { in: [...new Set(ids.filter(isId))] } });
  const [staff, applications, patients] = await Promise.all([
    db.staffUser.findMany({
      where: idIn([...idsOfTypes('Admin', 'Practitioner', 'Staff'), ...objectsOf('StaffUser')]),
      select: { id: true, name: true, email: true },
    }),
    db.application.findMany({
      where: idIn([...idsOfTypes('Application'), ...objectsOf('Application')]),
      select: { id: true, name: true },
    }),
    db.patient.findMany({
      where: idIn([...patientIds, ...idsOfTypes('Patient')]),
      select: { id: true, firstName: true, lastName: true, email: true },
    }),
  ]);
  return {
    staff: new Map(staff.map(({ id, name, email }) => [id, name || email])),
    applications: new Map(applications.map(({ id, name }) => [id, name])),
    patients: new Map(
      patients.flatMap(({ id, firstName, lastName, email }) => {
        const name = [firstName, lastName].filter(Boolean).join(' ') || email;
        return name ? [[id, name] as const] : [];
      }),
    ),
  };
}

export function presentActor({ actorType, actorId }: ActorRef, names: ActorNames): AuditActor {
  const namesOfType = { Application: names.applications, Patient: names.patients }[actorType] ?? names.staff;
  return { type: actorType as AuditActor['type'], id: actorId, name: namesOfType.get(actorId) ?? null };
}
