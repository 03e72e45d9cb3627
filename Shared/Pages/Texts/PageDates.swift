import Glibc
package import Vocabulary

extension PageTexts {
    /// How long ago something was used. It does not depend on the time zone of the reader, which the server does not know.
    package struct LastUse: Sendable {
        package var withinTheHour: String
        /// With a number of hours, 1 to 23.
        package var hoursAgo: @Sendable (Int) -> String
        /// With a number of days, 1 to 30.
        package var daysAgo: @Sendable (Int) -> String
    }
}

extension Language {
    /// A day in UTC as readers of the language write it: `22 November 2026`.
    package func date(_ moment: Moment) -> String {
        var seconds = time_t(moment.milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let (day, year) = (Int(parts.tm_mday), Int(parts.tm_year) + 1900)
        let number = Int(parts.tm_mon)
        let month = monthNames.dropFirst(max(0, number)).first ?? ""
        switch self {
        case .english, .arabic: return "\(day) \(month) \(year)"
        case .german: return "\(day). \(month) \(year)"
        case .french: return "\(day == 1 ? "1er" : String(day)) \(month) \(year)"
        case .spanish: return "\(day) de \(month) de \(year)"
        case .japanese: return "\(year)年\(number + 1)月\(day)日"
        case .korean: return "\(year)년 \(number + 1)월 \(day)일"
        // The Buddhist Era.
        case .thai: return "\(day) \(month) พ.ศ. \(year + 543)"
        }
    }

    private var monthNames: [String] {
        switch self {
        case .english:
            [
                "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                "November", "December",
            ]
        case .german:
            [
                "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
                "November", "Dezember",
            ]
        case .french:
            [
                "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
                "novembre", "décembre",
            ]
        case .spanish:
            [
                "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
                "noviembre", "diciembre",
            ]
        case .thai:
            [
                "มกราคม", "กุมภาพันธ์", "มีนาคม", "เมษายน", "พฤษภาคม", "มิถุนายน", "กรกฎาคม", "สิงหาคม", "กันยายน",
                "ตุลาคม", "พฤศจิกายน", "ธันวาคม",
            ]
        case .arabic:
            [
                "يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر",
                "ديسمبر",
            ]
        // They write its number.
        case .japanese, .korean: []
        }
    }

    package var lastUseTexts: PageTexts.LastUse {
        switch self {
        case .english:
            .init(
                withinTheHour: "Last used within the last hour",
                hoursAgo: { $0 == 1 ? "Last used 1 hour ago" : "Last used \($0) hours ago" },
                daysAgo: { $0 == 1 ? "Last used 1 day ago" : "Last used \($0) days ago" })
        case .german:
            .init(
                withinTheHour: "In der letzten Stunde benutzt",
                hoursAgo: { $0 == 1 ? "Zuletzt vor 1 Stunde benutzt" : "Zuletzt vor \($0) Stunden benutzt" },
                daysAgo: { $0 == 1 ? "Zuletzt vor 1 Tag benutzt" : "Zuletzt vor \($0) Tagen benutzt" })
        case .french:
            .init(
                withinTheHour: "Utilisé dans la dernière heure",
                hoursAgo: { "Dernière utilisation il y a \($0) \($0 == 1 ? "heure" : "heures")" },
                daysAgo: { "Dernière utilisation il y a \($0) \($0 == 1 ? "jour" : "jours")" })
        case .spanish:
            .init(
                withinTheHour: "Último uso en la última hora",
                hoursAgo: { "Último uso hace \($0) \($0 == 1 ? "hora" : "horas")" },
                daysAgo: { "Último uso hace \($0) \($0 == 1 ? "día" : "días")" })
        case .japanese:
            .init(
                withinTheHour: "最終使用：1時間以内", hoursAgo: { "最終使用：\($0)時間前" },
                daysAgo: { "最終使用：\($0)日前" })
        case .korean:
            .init(
                withinTheHour: "1시간 이내에 사용함", hoursAgo: { "\($0)시간 전에 마지막으로 사용함" },
                daysAgo: { "\($0)일 전에 마지막으로 사용함" })
        case .thai:
            .init(
                withinTheHour: "ใช้ครั้งล่าสุดภายในหนึ่งชั่วโมงที่ผ่านมา",
                hoursAgo: { "ใช้ครั้งล่าสุดเมื่อ \($0) ชั่วโมงที่แล้ว" },
                daysAgo: { "ใช้ครั้งล่าสุดเมื่อ \($0) วันที่แล้ว" })
        case .arabic:
            .init(
                withinTheHour: "آخر استخدام: خلال الساعة الماضية",
                hoursAgo: { "آخر استخدام: قبل \(ArabicCount.hours($0))" },
                daysAgo: { "آخر استخدام: قبل \(ArabicCount.days($0))" })
        }
    }
}

/// Arabic has a form of the noun for one, for two, for three to ten, and for more.
enum ArabicCount {
    static func hours(_ count: Int) -> String { text(count, "ساعة واحدة", "ساعتين", "ساعات", "ساعة") }
    static func days(_ count: Int) -> String { text(count, "يوم واحد", "يومين", "أيام", "يومًا") }

    /// - Parameters:
    ///   - few: from three to ten.
    ///   - many: from eleven to ninety-nine.
    private static func text(_ count: Int, _ one: String, _ two: String, _ few: String, _ many: String) -> String {
        switch count {
        case 1: one
        case 2: two
        case 3...10: "\(count) \(few)"
        default: "\(count) \(many)"
        }
    }
}
