// Stand-ins for a shop. Each function is a tool of `tools.yaml`; an exception is its failure.

const shelf = { atlas: { price: 30, left: 12 }, globe: { price: 80, left: 0 } };

export function reserve({ item, amount }) {
  const { price, left } = shelf[item];
  if (left < amount) throw Object.assign(new Error(`${left} of ${item} left`), { code: 'short' });
  return { item, amount, price };
}

export function supplier({ try: count }) {
  return { day: count < 2 ? null : 'Tuesday' };
}

export function price({ goods: { amount, price } }) {
  return amount * price;
}

export function pay({ total, card }) {
  if (card !== 'good') throw new Error(`the card is ${card}`);
  return { receipt: `R-${total}` };
}

export function pack({ goods: { item, amount }, receipt }) {
  return { parcel: `${amount} x ${item}`, receipt };
}

export function letter({ about }) {
  return about.parcel === undefined
    ? `Dear customer, we could not send anything: ${about.message}.`
    : `Dear customer, ${about.parcel} is on its way (${about.receipt}).`;
}
