import Vocabulary

extension PageTexts {
    /// The overview of the console: what needs attention, and charts of what was counted.
    package struct Overview: TranslatedTexts, Sendable {
        package var span: String
        package var activity: String
        package var lastHour: String
        package var lastDay: String
        package var lastMonth: String
        package var signIns: String
        package var signUps: String
        package var secondFactors: String
        package var smsCost: String
        package var messages: String
        package var requests: String
        package var slowest: String
        package var passkey: String
        package var password: String
        package var provider: String
        package var phone: String
        package var email: String
        package var other: String
        package var app: String
        package var sms: String
        package var recoveryCode: String
        package var rememberedDevice: String
        package var refused: String
        package var failed: String
        package var answered: String
        package var emailsDelivered: String
        package var emailsFailed: String
        package var smsDelivered: String
        package var smsFailed: String
        package var smsRefused: String
        package var readAsTable: String
        package var nothing: String
        package var noSMS: String
        package var signInsToday: String
        package var signUpsToday: String
        package var refusedToday: String
        package var smsYesterday: String
        package var currency: String
        package var costsOfToday: String
        package var cost: String
        package var nothingToDo: String
        package var numbersMissing: String
        package var summary: @Sendable (_ total: String, _ period: String, _ most: String) -> String
        package var summaryOfDays: @Sendable (_ total: String, _ day: String, _ most: String) -> String
        package var today: @Sendable (_ value: String) -> String
        package var inMonth: @Sendable (_ value: String) -> String
        package var spentOfDay: @Sendable (_ project: String, _ spent: String, _ budget: String) -> String
        package var spentOfHour: @Sendable (_ project: String, _ spent: String, _ budget: String) -> String
        package var emailsFailing: @Sendable (_ failed: String, _ all: String) -> String
        package var smsFailing: @Sendable (_ failed: String, _ all: String) -> String
        package var pushesFailing: @Sendable (_ failed: String, _ all: String) -> String
        package var requestsFailing: @Sendable (_ failed: String, _ all: String) -> String
        package var exampleSetting: @Sendable (_ setting: String) -> String
        package var certificateEnds: @Sendable (_ provider: String, _ day: String) -> String
        package var atMost: @Sendable (_ milliseconds: String) -> String
        package var moreThan: @Sendable (_ milliseconds: String) -> String
    }
}

extension Language {
    /// The texts of the overview.
    package var overviewTexts: PageTexts.Overview { texts() }
}
