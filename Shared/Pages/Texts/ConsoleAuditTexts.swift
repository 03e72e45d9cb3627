import Vocabulary

extension PageTexts {
    /// What the check of the audit log finds, for an operator of the console.
    package struct ConsoleAudit: TranslatedTexts, Sendable {
        package var missingRecord: String
        package var alteredRecord: String
        package var rewrittenChain: String
        package var missingCopy: String
        package var outdatedCopy: String
        package var unreadableCopy: String
        /// With the link that it is about.
        package var atLink: @Sendable (String) -> String
    }
}

extension Language {
    package var consoleAuditTexts: PageTexts.ConsoleAudit { texts() }
}

extension PageTexts.ConsoleAudit {
    static let english = Self(
        missingRecord: "An entry of the log is missing.",
        alteredRecord: "An entry of the log was changed after it was written.",
        rewrittenChain: "The log does not match the copy that was sealed at the time.",
        missingCopy: "A sealed copy is missing: entries were removed or added.",
        outdatedCopy: "The last sealed copy is old: the service does not confirm this log.",
        unreadableCopy: "A sealed copy cannot be opened with the master key.",
        atLink: { "Entry \($0)" })

    static let german = Self(
        missingRecord: "Ein Eintrag des Protokolls fehlt.",
        alteredRecord: "Ein Eintrag des Protokolls wurde nachträglich geändert.",
        rewrittenChain: "Das Protokoll stimmt nicht mit der Kopie überein, die damals versiegelt wurde.",
        missingCopy: "Eine versiegelte Kopie fehlt: Einträge wurden entfernt oder hinzugefügt.",
        outdatedCopy: "Die letzte versiegelte Kopie ist alt: Der Dienst bestätigt dieses Protokoll nicht.",
        unreadableCopy: "Eine versiegelte Kopie lässt sich mit dem Hauptschlüssel nicht öffnen.",
        atLink: { "Eintrag \($0)" })

    static let french = Self(
        missingRecord: "Une entrée du journal manque.",
        alteredRecord: "Une entrée du journal a été modifiée après son écriture.",
        rewrittenChain: "Le journal ne correspond pas à la copie scellée à l’époque.",
        missingCopy: "Une copie scellée manque : des entrées ont été retirées ou ajoutées.",
        outdatedCopy: "La dernière copie scellée est ancienne : le service ne confirme pas ce journal.",
        unreadableCopy: "Une copie scellée ne s’ouvre pas avec la clé principale.",
        atLink: { "Entrée \($0)" })

    static let spanish = Self(
        missingRecord: "Falta una entrada del registro.",
        alteredRecord: "Una entrada del registro se cambió después de escribirse.",
        rewrittenChain: "El registro no coincide con la copia que se selló en su momento.",
        missingCopy: "Falta una copia sellada: se quitaron o añadieron entradas.",
        outdatedCopy: "La última copia sellada es antigua: el servicio no confirma este registro.",
        unreadableCopy: "Una copia sellada no se abre con la clave maestra.",
        atLink: { "Entrada \($0)" })

    static let japanese = Self(
        missingRecord: "ログの項目が欠けています。",
        alteredRecord: "ログの項目が記録後に変更されています。",
        rewrittenChain: "ログが、当時封印されたコピーと一致しません。",
        missingCopy: "封印されたコピーが欠けています。項目が削除または追加されています。",
        outdatedCopy: "最後に封印されたコピーが古く、サービスはこのログを確認していません。",
        unreadableCopy: "封印されたコピーをマスターキーで開けません。",
        atLink: { "項目 \($0)" })

    static let korean = Self(
        missingRecord: "로그의 항목이 없습니다.",
        alteredRecord: "로그의 항목이 기록된 뒤에 바뀌었습니다.",
        rewrittenChain: "로그가 당시 봉인된 사본과 일치하지 않습니다.",
        missingCopy: "봉인된 사본이 없습니다. 항목이 삭제되거나 추가되었습니다.",
        outdatedCopy: "마지막으로 봉인된 사본이 오래되었습니다. 서비스가 이 로그를 확인해 주지 않습니다.",
        unreadableCopy: "봉인된 사본을 마스터 키로 열 수 없습니다.",
        atLink: { "항목 \($0)" })

    static let thai = Self(
        missingRecord: "รายการหนึ่งในบันทึกหายไป",
        alteredRecord: "รายการหนึ่งในบันทึกถูกแก้ไขหลังจากเขียนแล้ว",
        rewrittenChain: "บันทึกไม่ตรงกับสำเนาที่ผนึกไว้ในเวลานั้น",
        missingCopy: "สำเนาที่ผนึกไว้หายไป มีการลบหรือเพิ่มรายการ",
        outdatedCopy: "สำเนาที่ผนึกไว้ล่าสุดเก่าแล้ว บริการไม่ได้ยืนยันบันทึกนี้",
        unreadableCopy: "เปิดสำเนาที่ผนึกไว้ด้วยกุญแจหลักไม่ได้",
        atLink: { "รายการ \($0)" })

    static let arabic = Self(
        missingRecord: "أحد مدخلات السجل مفقود.",
        alteredRecord: "عُدّل أحد مدخلات السجل بعد كتابته.",
        rewrittenChain: "لا يطابق السجل النسخة التي خُتمت في حينها.",
        missingCopy: "إحدى النسخ المختومة مفقودة: حُذفت مدخلات أو أُضيفت.",
        outdatedCopy: "آخر نسخة مختومة قديمة: لا تؤكد الخدمة هذا السجل.",
        unreadableCopy: "لا يمكن فتح إحدى النسخ المختومة بالمفتاح الرئيسي.",
        atLink: { "المدخل \($0)" })
}
