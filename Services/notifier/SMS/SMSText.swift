import Contracts
import Vocabulary

/// The text of an SMS: the project's or the built-in text in the recipient's language. The last line is the host that
/// the code is bound to, which browsers use to fill it in ("origin-bound one-time codes" of WICG; security rule SM12).
struct SMSText: Equatable, Sendable {
    enum Encoding: Equatable, Sendable {
        /// The alphabet of GSM 03.38: 160 characters per message.
        case gsm7
        /// All other characters: 70 UTF-16 code units per message.
        case ucs2
    }

    let body: String

    /// Longer names are truncated.
    static let maximumNameLength = 40
    /// Shorter names are not recognizable.
    private static let shortestName = 8

    init(_ request: Notifier.SendSMS) {
        let code = request.code.reveal()
        let template =
            request.template ?? Language.find(request.locale, default: request.defaultLocale).smsText
        let lastLine = request.originDomain.map { "\n@\($0) #\(code)" } ?? ""
        func body(_ nameLength: Int) -> String {
            // The code contains only digits, and the name is inserted last: its content is not substituted again.
            template.replacing("%LOGIN_CODE%", with: code)
                .replacing("%APP_NAME%", with: Self.name(request.appName, nameLength)) + lastLine
        }
        // Each further segment costs as much as the first, so the name is shortened instead.
        var length = Self.maximumNameLength
        while length > Self.shortestName, Self.segmentCount(of: body(length)) > 1 { length -= 4 }
        let short = body(length)
        self.body = Self.segmentCount(of: short) == 1 ? short : body(Self.maximumNameLength)
    }

    var encoding: Encoding { Self.encoding(of: body) }

    /// One line without control characters, and without text that resembles the last line or a link.
    private static func name(_ text: String, _ length: Int) -> String {
        let line = text.unicodeScalars.map { scalar in
            scalar.isControlOfHeaders || scalar == "@" || scalar == "#" ? " " : Character(scalar)
        }
        return String(String(line).replacing("://", with: " ").prefix(length))
    }

    // MARK: Length

    static func encoding(of text: String) -> Encoding {
        text.unicodeScalars.allSatisfy { basic.contains($0) || extended.contains($0) } ? .gsm7 : .ucs2
    }

    /// The number of segments of a text (3GPP TS 23.040: each part of a longer text has a header).
    static func segmentCount(of text: String) -> Int {
        let (units, alone, part) =
            switch encoding(of: text) {
            case .gsm7: (text.unicodeScalars.reduce(0) { $0 + (extended.contains($1) ? 2 : 1) }, 160, 153)
            case .ucs2: (text.utf16.count, 70, 67)
            }
        return units <= alone ? 1 : (units + part - 1) / part
    }

    /// The default alphabet of GSM 03.38 (3GPP TS 23.038, 6.2.1).
    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿"
            + "abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    /// Characters that take two positions.
    private static let extended = Set("^{}\\[~]|€\u{c}".unicodeScalars)
}

extension Language {
    /// The built-in text, in the GSM 03.38 alphabet where the language allows it.
    var smsText: String {
        switch self {
        case .english: "%APP_NAME%: %LOGIN_CODE% is your code. Do not share it."
        case .spanish: "%APP_NAME%: %LOGIN_CODE% es tu clave. No la compartas."
        case .korean: "%APP_NAME%: 인증번호 %LOGIN_CODE%. 다른 사람에게 알려주지 마세요."
        case .thai: "%APP_NAME%: รหัสของคุณคือ %LOGIN_CODE% ห้ามบอกผู้อื่น"
        case .german: "%APP_NAME%: %LOGIN_CODE% ist Ihr Code. Geben Sie ihn nicht weiter."
        case .french: "%APP_NAME% : %LOGIN_CODE% est votre code. Ne le partagez pas."
        case .japanese: "%APP_NAME%: 認証コードは %LOGIN_CODE% です。誰にも教えないでください。"
        case .arabic: "%APP_NAME%: رمزك هو %LOGIN_CODE%. لا تشاركه مع أحد."
        }
    }
}
