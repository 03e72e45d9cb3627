package import Vocabulary

extension PageTexts {
    /// An account that its owner has deleted, and that is deleted later.
    package struct AccountDeletion: Sendable {
        /// What follows, before the deletion, with a number of days.
        package var inDays: @Sendable (Int) -> String
        package var scheduledTitle: String
        /// With the date of the deletion.
        package var scheduled: @Sendable (String) -> String
        /// Heading of the page to which a sign-in leads.
        package var restoreTitle: String
        /// With the date of the deletion.
        package var restoreBody: @Sendable (String) -> String
        package var restore: String
    }
}

extension Language {
    package var accountDeletionTexts: PageTexts.AccountDeletion {
        switch self {
        case .english: .english
        case .spanish: .spanish
        case .korean: .korean
        case .thai: .thai
        case .german: .german
        case .french: .french
        case .japanese: .japanese
        case .arabic: .arabic
        }
    }
}

extension PageTexts.AccountDeletion {
    static let english = Self(
        inDays: {
            "Your account and everything that is stored about it will be deleted in \($0) \($0 == 1 ? "day" : "days"). All your sessions end now. Until then you can restore it by signing in."
        },
        scheduledTitle: "Your account will be deleted",
        scheduled: { "It is deleted on \($0). Until then you can restore it by signing in." },
        restoreTitle: "Restore your account?",
        restoreBody: {
            "You have deleted this account. It will be removed for good on \($0). Until then you can restore it."
        },
        restore: "Restore account")

    static let german = Self(
        inDays: {
            "Ihr Konto und alles, was dazu gespeichert ist, wird in \($0) \($0 == 1 ? "Tag" : "Tagen") gelöscht. Alle Ihre Sitzungen enden jetzt. Bis dahin können Sie es wiederherstellen, indem Sie sich anmelden."
        },
        scheduledTitle: "Ihr Konto wird gelöscht",
        scheduled: { "Es wird am \($0) gelöscht. Bis dahin können Sie es wiederherstellen, indem Sie sich anmelden." },
        restoreTitle: "Konto wiederherstellen?",
        restoreBody: {
            "Sie haben dieses Konto gelöscht. Am \($0) wird es endgültig entfernt. Bis dahin können Sie es wiederherstellen."
        },
        restore: "Konto wiederherstellen")

    static let french = Self(
        inDays: {
            "Votre compte et tout ce qui est enregistré à son sujet seront supprimés dans \($0) \($0 == 1 ? "jour" : "jours"). Toutes vos sessions prennent fin maintenant. D’ici là, vous pouvez le restaurer en vous connectant."
        },
        scheduledTitle: "Votre compte va être supprimé",
        scheduled: { "Il sera supprimé le \($0). D’ici là, vous pouvez le restaurer en vous connectant." },
        restoreTitle: "Restaurer votre compte ?",
        restoreBody: {
            "Vous avez supprimé ce compte. Il sera effacé définitivement le \($0). D’ici là, vous pouvez le restaurer."
        },
        restore: "Restaurer le compte")

    static let spanish = Self(
        inDays: {
            "Tu cuenta y todo lo que está guardado sobre ella se eliminarán dentro de \($0) \($0 == 1 ? "día" : "días"). Todas tus sesiones se cierran ahora. Hasta entonces puedes restaurarla iniciando sesión."
        },
        scheduledTitle: "Tu cuenta se va a eliminar",
        scheduled: { "Se eliminará el \($0). Hasta entonces puedes restaurarla iniciando sesión." },
        restoreTitle: "¿Restaurar tu cuenta?",
        restoreBody: {
            "Has eliminado esta cuenta. Se borrará definitivamente el \($0). Hasta entonces puedes restaurarla."
        },
        restore: "Restaurar la cuenta")

    static let japanese = Self(
        inDays: {
            "アカウントと、それについて保存されているすべてが\($0)日後に削除されます。すべてのセッションはすぐに終了します。それまでは、ログインすると元に戻せます。"
        },
        scheduledTitle: "アカウントは削除されます",
        scheduled: { "\($0)に削除されます。それまでは、ログインすると元に戻せます。" },
        restoreTitle: "アカウントを元に戻しますか？",
        restoreBody: {
            "このアカウントの削除を行いました。\($0)に完全に削除されます。それまでは元に戻せます。"
        },
        restore: "アカウントを元に戻す")

    static let korean = Self(
        inDays: {
            "계정과 계정에 대해 저장된 모든 것이 \($0)일 후에 삭제됩니다. 모든 세션은 지금 종료됩니다. 그때까지는 로그인하여 계정을 복원할 수 있습니다."
        },
        scheduledTitle: "계정이 삭제될 예정입니다",
        scheduled: { "\($0)에 삭제됩니다. 그때까지는 로그인하여 계정을 복원할 수 있습니다." },
        restoreTitle: "계정을 복원할까요?",
        restoreBody: {
            "이 계정을 삭제했습니다. \($0)에 완전히 삭제됩니다. 그때까지는 계정을 복원할 수 있습니다."
        },
        restore: "계정 복원")

    static let thai = Self(
        inDays: {
            "บัญชีและทุกอย่างที่เก็บไว้เกี่ยวกับบัญชีจะถูกลบในอีก \($0) วัน เซสชันทั้งหมดของคุณจะสิ้นสุดทันที จนถึงเวลานั้นคุณกู้คืนบัญชีได้โดยการลงชื่อเข้าใช้"
        },
        scheduledTitle: "บัญชีของคุณจะถูกลบ",
        scheduled: { "บัญชีจะถูกลบในวันที่ \($0) จนถึงเวลานั้นคุณกู้คืนบัญชีได้โดยการลงชื่อเข้าใช้" },
        restoreTitle: "กู้คืนบัญชีของคุณหรือไม่",
        restoreBody: {
            "คุณได้ลบบัญชีนี้ บัญชีจะถูกลบอย่างถาวรในวันที่ \($0) จนถึงเวลานั้นคุณกู้คืนบัญชีได้"
        },
        restore: "กู้คืนบัญชี")

    static let arabic = Self(
        inDays: {
            "سيُحذف حسابك وكل ما هو مخزّن عنه بعد \(ArabicCount.days($0)). تنتهي جميع جلساتك الآن. وحتى ذلك الحين يمكنك استعادته بتسجيل الدخول."
        },
        scheduledTitle: "سيُحذف حسابك",
        scheduled: { "سيُحذف في \($0). وحتى ذلك الحين يمكنك استعادته بتسجيل الدخول." },
        restoreTitle: "هل تريد استعادة حسابك؟",
        restoreBody: {
            "لقد حذفت هذا الحساب، وسيُحذف نهائيًا في \($0). وحتى ذلك الحين يمكنك استعادته."
        },
        restore: "استعادة الحساب")
}
