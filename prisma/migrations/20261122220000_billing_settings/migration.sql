-- How a clinic wants its subscriptions to go on.

-- What becomes of a trial that ends without a card.
alter table tenants add column trial_end text not null default 'cancel'
  check (trial_end in ('cancel', 'pause', 'past_due'));
-- How long a patient keeps what was bought while a renewal is unpaid.
alter table tenants add column grace_days integer not null default 7 check (grace_days between 0 and 90);
-- What patients may do by themselves, in an app and on the clinic's pages.
alter table tenants add column may_cancel_themselves boolean not null default true;
alter table tenants add column may_change_plan_themselves boolean not null default true;
