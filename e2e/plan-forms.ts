import type { Page } from '@playwright/test';
import { dialogBehind, type FormCase, LONG } from './form-case.ts';

const dialogOfFirstPlan = (entry: string) => async (page: Page) => {
  await page.goto('/plans');
  await page
    .getByRole('button', { name: /^Actions for / })
    .first()
    .click();
  await page.getByRole('menuitem', { name: entry }).click();
  return page.getByRole('dialog');
};

export const PLAN_FORMS: FormCase[] = [
  {
    file: 'plans/plan-dialogs.tsx: new',
    open: dialogBehind('/plans', 'New plan'),
    submit: 'Make plan',
    invalid: { Name: LONG, 'Price in USD': 'much', 'Billed every': '0', 'Free trial in days': '1.5', Label: LONG },
    valid: { Name: 'Evening care', 'Price in USD': '49.00', 'Billed every': '1' },
    call: 'plans.create',
  },
  {
    file: 'plans/plan-dialogs.tsx: edit',
    open: dialogOfFirstPlan('Edit…'),
    submit: 'Save plan',
    mayBeEmpty: true,
    invalid: { Name: LONG, 'Free trial in days': '731', Label: LONG },
    valid: { Name: 'Evening care', 'Free trial in days': '7', Label: 'Monthly' },
    call: 'plans.update',
  },
  {
    file: 'plans/plan-dialogs.tsx: price',
    open: dialogOfFirstPlan('Change price…'),
    submit: 'Change price',
    mayBeEmpty: true,
    invalid: { 'Price in USD': '€99', 'Billed every': '99' },
    valid: { 'Price in USD': '99.00', 'Billed every': '1' },
    call: 'plans.changePrice',
  },
  {
    file: 'plans/code-dialog.tsx',
    open: dialogBehind('/plans?view=codes', 'New code'),
    submit: 'Make code',
    invalid: { Code: 'not a code', Discount: '120', 'Most uses': '0', 'Last day': '2099-01-01' },
    valid: { Code: 'EVENING-20', Discount: '12,5%', 'Most uses': '10' },
    call: 'plans.createPromotionCode',
  },
];
