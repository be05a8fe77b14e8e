import { staffOf } from './card.ts';
import { dialogBehind, LONG, regionOn, type Walk } from './form-walk.ts';

/** Forms of the account page. */
export const ACCOUNT_WALKS: Walk[] = [
  {
    file: 'account/account-page.tsx: profile',
    open: regionOn('/settings/account', 'Profile'),
    submit: 'Save name',
    mayBeEmpty: true,
    wrong: { Name: LONG },
    right: { Name: 'Ada Example' },
    call: 'account.rename',
  },
  {
    file: 'account/daily-list-card.tsx',
    open: regionOn('/settings/account', 'Your day by mail'),
    submit: 'Save',
    mayBeEmpty: true,
    right: {},
    choose: (form) => form.getByRole('checkbox', { name: 'Send me my appointments of each day' }).check(),
    call: 'dailyList.set',
  },
  {
    file: 'account/account-page.tsx: password',
    open: regionOn('/settings/account', 'Password'),
    submit: 'Change password',
    wrong: { 'Current password': 'wrong', 'New password': 'short' },
    right: { 'Current password': 'seven quiet rivers', 'New password': 'eight calm lakes rest' },
    call: 'account.changePassword',
  },
  {
    file: 'account/two-step-dialog.tsx: password',
    open: dialogBehind('/settings/account', 'Set up two-step sign-in'),
    submit: 'Continue',
    right: { 'Your password': 'anything' },
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
    wrong: { 'Code in the app': '000000' },
    right: { 'Code in the app': '000000' },
    call: 'account.confirmTwoStep',
  },
];
