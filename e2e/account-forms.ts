import { staffOf } from './card.ts';
import { dialogBehind, type FormCase, LONG, regionOn } from './form-case.ts';
import { chooseRole } from './team.ts';

/** Forms of the account page. */
export const ACCOUNT_FORMS: FormCase[] = [
  {
    file: 'account/account-page.tsx: profile',
    open: regionOn('/settings/account', 'Profile'),
    submit: 'Save name',
    mayBeEmpty: true,
    invalid: { Name: LONG },
    valid: { Name: 'Ada Example' },
    call: 'account.rename',
  },
  {
    file: 'account/daily-list-card.tsx',
    open: regionOn('/settings/account', 'Your day by email'),
    submit: 'Save',
    mayBeEmpty: true,
    valid: {},
    choose: (form) => form.getByRole('checkbox', { name: 'Send me my appointments of each day' }).check(),
    call: 'dailyList.set',
  },
  {
    file: 'account/account-page.tsx: password',
    open: regionOn('/settings/account', 'Password'),
    submit: 'Change password',
    invalid: { 'Current password': 'wrong', 'New password': 'short' },
    valid: { 'Current password': 'seven quiet rivers', 'New password': 'eight calm lakes rest' },
    call: 'account.changePassword',
  },
  {
    file: 'account/two-step-dialog.tsx: password',
    open: dialogBehind('/settings/account', 'Set up two-step sign-in'),
    submit: 'Continue',
    valid: { 'Your password': 'anything' },
    call: 'account.startTwoStep',
  },
  {
    file: 'account/two-step-dialog.tsx: code',
    open: async (page) => {
      const dialog = await dialogBehind('/settings/account', 'Set up two-step sign-in')(page);
      await dialog.getByLabel('Your password').fill(staffOf('admin').password);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByLabel('Code in the app').waitFor();
      return dialog;
    },
    submit: 'Turn on',
    invalid: { 'Code in the app': '000000' },
    valid: { 'Code in the app': '000000' },
    call: 'account.confirmTwoStep',
  },
];

/** Forms of the team page. */
export const TEAM_FORMS: FormCase[] = [
  {
    file: 'team/team-dialogs.tsx: invitation',
    open: dialogBehind('/settings/team', 'Invite colleague'),
    submit: 'Send invitation',
    invalid: { Name: LONG, 'Work email': 'no-email' },
    valid: { Name: 'Juniper Example', 'Work email': 'juniper@riverbend.example.test' },
    call: 'team.invite',
  },
  {
    file: 'team/team-dialogs.tsx: role',
    open: async (page) => {
      await page.goto('/settings/team');
      const row = page.getByRole('row', { name: staffOf('practitioner').email });
      await row.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Change role' }).click();
      return page.getByRole('dialog', { name: /^Change the role of/ });
    },
    submit: 'Change role',
    mayBeEmpty: true,
    valid: {},
    choose: (form) => chooseRole(form, 'Billing'),
    call: 'team.changeRole',
  },
];
