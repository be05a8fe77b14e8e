export const secretBoundTo = (tenantId: string, userId: string): string =>
  `staff_two_steps/${tenantId}/${userId}/secret`;
