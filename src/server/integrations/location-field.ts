import type { AcuityForm } from '#server/providers/acuity.ts';

/** The service writes where a visit takes place into this form and this question; their names must be exact. */
export const LOCATION = 'Location';

/** The id of the Location question that the type's appointments carry, or null when form or question is missing. */
export function locationField(forms: AcuityForm[], typeId: number): number | null {
  for (const form of forms) {
    if (form.name !== LOCATION || !form.typeIds.includes(typeId)) continue;
    const field = form.fields.find(({ name }) => name === LOCATION);
    if (field) return field.id;
  }
  return null;
}
