export { sendStaffReset } from './links/staff-link.ts';
export { resetMemberTwoStep } from './update-member.ts';
