package import PhoneNumbers
package import Vocabulary

/// The limits on messages and their cost (security rule SM6 to SM8). Hours and days are those of the clock, in UTC.
package struct SendingPolicy: Equatable, Sendable {
    /// The maximum number of messages; nil for no limit.
    package struct Counts: Equatable, Sendable {
        /// To one number in a day, without those whose code was verified.
        package var perNumber: Int? = 5
        /// For one account per day.
        package var perAccount: Int? = 20
        /// From one IPv4 address, or one IPv6 /64, per hour.
        package var perAddress: Int? = 10
        /// To one prefix.
        package var perPrefixInHour: Int? = 100
        package var perPrefixInDay: Int? = 500

        package init() {}

        /// To one number in a day, verified or not.
        var perNumberTotal: Int? { perNumber.map { $0.multipliedReportingOverflow(by: 4).partialValue } }
    }

    /// The maximum cost of the messages of one project, in millionths of the operator's currency; nil for no limit.
    package struct Budget: Equatable, Sendable {
        package var inHour: Int64? = 20_000_000
        package var inDay: Int64? = 100_000_000

        package init() {}

        /// The share of a budget for untrusted prefixes. An attack over hundreds of new prefixes leaves the rest to the
        /// trusted ones.
        static let newPrefixesPercent: Int64 = 50
        /// The share of a budget for everything but second factors. Second factors come first: their numbers were
        /// verified before, and the first factor is verified.
        static let firstFactorsPercent: Int64 = 80
    }

    /// When a prefix is blocked: too few of its codes are verified.
    package struct Conversion: Equatable, Sendable {
        /// The required number of verified codes of a hundred sent; 0 blocks no prefix.
        package var minimumPercent = 10

        package init() {}

        /// The number of messages that are evaluated together.
        static let sampleSize = 50
        /// The time in which a code can be verified before its message is evaluated.
        static let maturationTime = Duration.seconds(2 * 60)
        /// The length of the first block. Each following one is twice as long.
        static let firstBlockDuration = Duration.seconds(60 * 60)
        static let maximumBlockDuration = Duration.seconds(24 * 60 * 60)
        /// The number of verified codes of a trusted prefix.
        static let trustedConversionCount = 5
    }

    /// The delays after the first, second, ... message to a number before the next, as long as no code is verified. The
    /// last one repeats. Empty for no delay.
    package var resendDelays: [Duration] = [.seconds(30), .seconds(60), .seconds(120), .seconds(300)]
    package var counts = Counts()
    package var budget = Budget()
    package var conversion = Conversion()
    /// The estimated cost of a message.
    package var prices = MessagePrices(defaultPrice: Self.defaultPrice)
    /// For regions without a price of the operator.
    static let defaultPrice: Int64 = 50_000

    func price(in region: String?) -> Int64 { prices.price(in: region) ?? Self.defaultPrice }
    /// The number types that get messages. Numbers of no country (satellites, `+979`) never do.
    package var numberTypes = Self.defaultNumberTypes
    /// Whether requests from loopback count for their address. False in dev mode, where all requests come from
    /// loopback.
    package var countsLoopback = true

    package init() {}

    /// Mobile and fixed lines. Free, premium and shared-cost numbers are services; personal numbers (`+44 70`) and
    /// pagers are forwarded at a price.
    package static let defaultNumberTypes: Set<ParsedPhoneNumber.NumberType> = [
        .mobile, .fixedLineOrMobile, .fixedLine, .voip,
    ]

    /// In dev mode tests send many codes at once to numbers of one prefix, perhaps fictional ones, and no SMS leaves
    /// the machine. Expensive number types stay refused, so that developers notice before production.
    package static let development: SendingPolicy = {
        var policy = SendingPolicy()
        policy.resendDelays = []
        policy.counts.perNumber = 100
        policy.counts.perAccount = 100
        policy.counts.perPrefixInHour = nil
        policy.counts.perPrefixInDay = nil
        policy.budget.inHour = nil
        policy.budget.inDay = nil
        policy.conversion.minimumPercent = 0
        policy.numberTypes = Set(ParsedPhoneNumber.NumberType.allCases).subtracting([.premiumRate, .sharedCost])
        policy.countsLoopback = false
        return policy
    }()
}
