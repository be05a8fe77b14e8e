export { findChargedCard } from './cards/card-owner.ts';
export { setDefaultCard } from './cards/change-cards.ts';
export { findCardOfSetup, startCardSetup } from './cards/save-card.ts';
export {
  contactOf,
  ensureCustomer,
  listOutdatedCustomers,
  markCustomerDeleted,
  setSavedCardAsDefault,
  updateCustomer,
} from './customer.ts';
