import type { Role } from '#contract/settings.ts';

export const ROLE_NAMES: Record<Role, string> = { admin: 'Admin', practitioner: 'Practitioner' };
export const ROLE_OPTIONS: { value: Role; label: string }[] = [
  { value: 'practitioner', label: ROLE_NAMES.practitioner },
  { value: 'admin', label: ROLE_NAMES.admin },
];
