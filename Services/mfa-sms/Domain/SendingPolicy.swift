package import PhoneNumbers
package import Vocabulary

/// What may be sent, how often, and for how much money (security rule SM6 to SM8). Hours and days are those of the
/// clock, in UTC.
package struct SendingPolicy: Equatable, Sendable {
    /// How many messages there may be; nil: as many as come.
    package struct Counts: Equatable, Sendable {
        /// To one number in a day, of those whose code has not come back. Who has proved to have the telephone is not
        /// pestered by more.
        package var perNumber: Int? = 5
        /// For one account in a day.
        package var perAccount: Int? = 20
        /// From one IPv4 address, or one IPv6 /64, in an hour.
        package var perAddress: Int? = 10
        /// To one range of numbers.
        package var perRangeInHour: Int? = 100
        package var perRangeInDay: Int? = 500

        package init() {}

        /// To one number in a day, whether its codes come back or not.
        var perNumberTotal: Int? { perNumber.map { $0.multipliedReportingOverflow(by: 4).partialValue } }
    }

    /// The most that the messages of one project may cost, in millionths of the operator's currency; nil: whatever they do.
    package struct Budget: Equatable, Sendable {
        package var inHour: Int64? = 20_000_000
        package var inDay: Int64? = 100_000_000

        package init() {}

        /// Of a budget, what goes to ranges that have not proved good yet: an attack that spreads over hundreds of new
        /// ranges leaves the other half to those where people sign in every day.
        static let newRangesPercent: Int64 = 50
        /// Of a budget, what goes to anything but second factors: their numbers have been verified before, and who asks
        /// has given a password. They are what nobody can do without.
        static let firstFactorsPercent: Int64 = 80
    }

    /// When a range of numbers counts as pumped: hardly any code that is sent there comes back.
    package struct Conversion: Equatable, Sendable {
        /// Codes that have to come back of a hundred sent. 0: no range is ever closed.
        package var minimumPercent = 10

        package init() {}

        /// Messages that are judged together.
        static let sampleSize = 50
        /// How long a code has to come back before its message is judged.
        static let maturationTime = Duration.seconds(2 * 60)
        /// Of the first closing; each that follows is twice as long.
        static let firstBlockDuration = Duration.seconds(60 * 60)
        static let maximumBlockDuration = Duration.seconds(24 * 60 * 60)
        /// Codes that came back from a range that has proved good.
        static let trustedConversionCount = 5
    }

    /// What has to pass after the first, the second, ... message to a number before the next, as long as no code comes
    /// back; the last of them from then on. Empty: nothing.
    package var resendDelays: [Duration] = [.seconds(30), .seconds(60), .seconds(120), .seconds(300)]
    package var counts = Counts()
    package var budget = Budget()
    package var conversion = Conversion()
    /// What a message is reckoned to cost before it is sent.
    package var prices = MessagePrices(defaultPrice: Self.defaultPrice)
    /// Where the operator has said nothing of a region: a careful guess.
    static let defaultPrice: Int64 = 50_000

    func price(in region: String?) -> Int64 { prices.price(in: region) ?? Self.defaultPrice }
    /// What gets messages. Numbers of no country (satellites, `+979`) never do.
    package var numberTypes = Self.defaultNumberTypes
    /// Whether requests from this machine count for their address: in dev mode all come from here.
    package var countsLoopback = true

    package init() {}

    /// What people have in their pockets and on their desks. Free, premium and shared-cost numbers are services;
    /// personal numbers (`+44 70`) and pagers are forwarded at a price.
    package static let defaultNumberTypes: Set<ParsedPhoneNumber.NumberType> = [
        .mobile, .fixedLineOrMobile, .fixedLine, .voip,
    ]

    /// In dev mode: a run of tests sends many codes at once to numbers of one range, perhaps fictional ones, and nothing
    /// leaves the machine. What costs money by its nature stays refused, to be met before production.
    package static let development: SendingPolicy = {
        var policy = SendingPolicy()
        policy.resendDelays = []
        policy.counts.perNumber = 100
        policy.counts.perAccount = 100
        policy.counts.perRangeInHour = nil
        policy.counts.perRangeInDay = nil
        policy.budget.inHour = nil
        policy.budget.inDay = nil
        policy.conversion.minimumPercent = 0
        policy.numberTypes = Set(ParsedPhoneNumber.NumberType.allCases).subtracting([.premiumRate, .sharedCost])
        policy.countsLoopback = false
        return policy
    }()
}
