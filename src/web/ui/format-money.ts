export { formatMoney } from '#contract/minor-units.ts';
