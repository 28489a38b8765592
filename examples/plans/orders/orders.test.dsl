# statedsl test examples/plans/orders
TESTS: "./orders.dsl"

TEST: an atlas is in stock, paid and packed
  MOCK: CALL reserve → { item: "atlas", price: 20 }
  MOCK: CALL price → 40
  MOCK: CALL pay → { receipt: "r1" }
  MOCK: CALL pack → "parcel 1"
  MOCK: CALL letter → "on its way"
  EXPECT: event RESERVED item="atlas" price=20
  EXPECT: returned "on its way"
  EXPECT: calls CALL supplier == 0

TEST: a globe is asked for until the supplier names a day
  GIVEN: item="globe"
  MOCK: CALL reserve → fails short "none left"
  MOCK: CALL supplier → { day: null }, { day: "Monday" }
  EXPECT: calls CALL supplier == 2
  EXPECT: returned "globe comes on Monday, said after 2 questions"
