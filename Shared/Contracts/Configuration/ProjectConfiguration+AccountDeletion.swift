extension ProjectConfiguration {
    /// How users delete their own accounts. A Latchkey extension.
    package struct AccountDeletion: DocumentMessage {
        /// How many days after the user deletes an account on the account page it is deleted, 0 to 90. Until then the user can
        /// restore it. Absent or 0: at once.
        package var graceDays: Int?

        package init() {}
    }

    /// 0: the account page deletes an account at once.
    package var deletionGraceDays: Int { accountDeletion?.graceDays ?? 0 }
}
